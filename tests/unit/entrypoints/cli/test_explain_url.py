"""Does `gossamer explain-url` say what became of a URL, and why?"""

from __future__ import annotations

import pytest

from gossamer.bolts.links import links
from gossamer.core.crawl.host_record import HostChange
from gossamer.core.crawl.job import ScopeConfig
from gossamer.core.crawl.traps import TrapConfig
from gossamer.core.crawl.url_state import State
from gossamer.entrypoints.cli.explain_url import biography, to_text
from gossamer.messages import Link, LinksFound
from tests.pump import JOB
from tests.unit.entrypoints.moto_stack import STACK, add_url, begin_job, result, run

PAGE = "http://a.test/"
REFUSED = "http://b.test/b"


@pytest.mark.parametrize(("named", "quota"), [(False, "3 URLs"), (True, "1,000,000 URLs")])
def test_a_url_beyond_its_hosts_quota_says_what_to_do(world, named, quota):
    traps = TrapConfig(host_start=1, host_growth=1)
    w = world(scope=ScopeConfig(anywhere=True), traps=traps)
    urls = [Link("http://b.test/a"), Link(REFUSED)]
    found = LinksFound(job=JOB, source="http://a.test/", depth=0, via="page", links=urls)
    links(found, w.ports, w.clock())
    w.home.hosts.change("b.test", HostChange(pages=4, named=named))

    life = biography(w.home, w.home.jobs.get(JOB), REFUSED, w.clock())

    assert (life.state, life.reason, life.host_pages) == ("excluded", "host-quota", 4)
    assert "traps.host_start" in life.explanation
    assert f"the host has given 4 pages, and may give {quota}" in to_text(life)


def test_a_url_tells_its_life(capsys, stack):
    begin_job()
    add_url(PAGE, State.FAILED, "timeout", code=0, tries=4)

    life = result(capsys, "explain-url", PAGE)

    assert (life["state"], life["reason"], life["requests"]) == ("failed", "timeout", 4)
    assert life["explanation"] == "the host did not answer in time"


def test_an_unknown_url_is_exit_1(capsys, stack):
    code, out, _ = run(capsys, "--stack", STACK, "explain-url", PAGE)

    assert code == 1
    assert "unknown" in out


def test_another_collection_of_the_stack_is_another_world(capsys, stack):
    add_url(PAGE)

    code, out, _ = run(capsys, "--stack", STACK, "explain-url", PAGE, "--collection", "other")

    assert code == 1
    assert "unknown" in out
