from __future__ import annotations

import pytest

from gossamer.bolts.links import links
from gossamer.core.crawl.job import ScopeConfig, TrapConfig
from gossamer.entrypoints.cli.explain_url import biography, tell
from gossamer.messages import Link, LinksFound
from tests.pump import JOB

REFUSED = "http://b.test/b"


@pytest.mark.parametrize(("named", "quota"), [(False, "3 URLs"), (True, "1,000,000 URLs")])
def test_a_url_beyond_its_hosts_quota_says_what_to_do(world, named, quota):
    traps = TrapConfig(host_start=1, host_growth=1)
    w = world(scope=ScopeConfig(anywhere=True), traps=traps)
    urls = [Link("http://b.test/a"), Link(REFUSED)]
    found = LinksFound(job=JOB, source="http://a.test/", depth=0, via="page", links=urls)
    links(found, w.ports, w.clock())
    w.home.hosts.change("b.test", pages=4, named=named)

    life = biography(w.home, w.home.jobs.get(JOB), REFUSED, w.clock())

    assert (life.state, life.reason, life.host_pages) == ("excluded", "host-quota", 4)
    assert "traps.host_start" in life.explanation
    assert f"its host has given 4 pages, and may give {quota}" in tell(life)
