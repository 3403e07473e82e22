"""Does `gossamer explain-url` say what became of a URL, and why?"""

from __future__ import annotations

import io
import json

import pytest

from gossamer.bolts.links import links
from gossamer.core.crawl.host_record import HostChange
from gossamer.core.crawl.job import ScopeConfig
from gossamer.core.crawl.traps import TrapConfig
from gossamer.core.crawl.url_state import State
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.explain_url import MAX_DOCUMENTS, biography, to_text
from gossamer.entrypoints.cli.export import export
from gossamer.messages import Link, LinksFound
from tests.item_reader import page_of_items, reading_items
from tests.life import bring
from tests.pump import JOB, answer, page, robots
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


async def test_addresses_are_shown_in_letters(world):
    url = f"{PAGE}caf%C3%A9"
    w = world({PAGE: page("/caf%C3%A9"), url: page(title="Open")})
    await w.crawl()

    text = to_text(biography(w.home, w.home.jobs.get(JOB), url, w.clock()))

    assert text.startswith(f"{PAGE}café\n")
    assert "%C3" not in text


async def test_no_title_drives_the_terminal(world):
    w = world({PAGE: page(title="a\x1b]0;owned\x07\x1b[31mred\x9b2J")})
    await w.crawl()

    text = to_text(biography(w.home, w.home.jobs.get(JOB), PAGE, w.clock()))

    assert "owned" in text
    assert all(line.isprintable() for line in text.split("\n"))


async def test_a_url_that_a_sitemap_named_says_so(world):
    index, named, url = (f"{PAGE}{name}" for name in ("index.xml", "sitemap.xml", "deep"))
    w = world(
        {
            f"{PAGE}robots.txt": robots(f"Sitemap: {index}"),
            index: answer(
                200, f"<sitemapindex><sitemap><loc>{named}</loc></sitemap></sitemapindex>"
            ),
            named: answer(200, f"<urlset><url><loc>{url}</loc></url></urlset>"),
            PAGE: page(),
            url: page("/deeper"),
            f"{url}er": page(),
        }
    )
    await w.crawl()

    life = biography(w.home, w.home.jobs.get(JOB), f"{url}er", w.clock())

    assert life.path == [index, named, url, f"{url}er"]
    out = io.StringIO()
    export(w.home, "urls", "jsonl", out)
    sources = {row["url"]: row["found_on"] for row in map(json.loads, out.getvalue().splitlines())}
    assert (sources[url], sources[named]) == (named, index)


@pytest.mark.parametrize("address", ["mailto:me@a.test", "me@a.test", "javascript:x"])
def test_what_is_no_address_is_not_explained_as_one(world, address):
    w = world({})

    life = biography(w.home, w.home.jobs.get(JOB), address, w.clock())

    assert (life.url, life.explanation) == (address, "this is not a web address")


@pytest.mark.parametrize(
    ("count", "told"),
    [(0, []), (1, ["1 document:"]), (25, ["25 documents:", "and 5 more (--json lists all)"])],
)
async def test_a_url_names_the_documents_of_its_page(world, count, told):
    with reading_items():
        w = world({PAGE: page_of_items(*(f"{n}=Web number {n}" for n in range(count)))})
        await w.crawl()

    life = biography(w.home, w.home.jobs.get(JOB), PAGE, w.clock())

    (stored,) = w.home.documents.pages([url_id(PAGE)])
    assert [each.id for each in life.documents] == [v.id.hex() for v in stored.versions()]
    assert {each.title for each in life.documents} == {f"Web number {n}" for n in range(count)}
    text = to_text(life)
    assert [line for line in told if line not in text] == []
    assert text.count("Web number") == min(count, MAX_DOCUMENTS)
    assert (life.reason, life.state) == (
        ("document", "parsed") if count else ("no-document", "excluded")
    )


async def test_a_url_whose_page_was_removed_names_no_documents(world):
    w = world({PAGE: page(title="Silk")})
    await w.crawl()
    assert [d.title for d in biography(w.home, None, PAGE, w.clock()).documents] == ["Silk"]

    bring(w.home.urls, url_id(PAGE), State.REDIRECTED)

    assert biography(w.home, None, PAGE, w.clock()).documents == []


def test_an_unknown_url_is_exit_1(capsys, stack):
    code, out, _ = run(capsys, "--stack", STACK, "explain-url", PAGE)

    assert code == 1
    assert "unknown" in out


def test_another_collection_of_the_stack_is_another_world(capsys, stack):
    add_url(PAGE)

    code, out, _ = run(capsys, "--stack", STACK, "explain-url", PAGE, "--collection", "other")

    assert code == 1
    assert "unknown" in out
