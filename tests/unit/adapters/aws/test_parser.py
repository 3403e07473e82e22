"""Does a Lambda survive the pages that it parses?"""

from __future__ import annotations

import asyncio
import signal
import time
from itertools import repeat
from typing import Any

import pytest

from gossamer.adapters.aws.parser import StoredParser
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.errors import CorruptRecord, Unreachable
from gossamer.core.page.document import ParsedPage
from gossamer.messages import PageFetched
from gossamer.ports.pages import StoredPage
from gossamer.ports.parser import Unparsed
from tests import made_files

NO_ALARM = (0.0, 0.0)
CONFIG = JobConfig(seeds=["http://a.test/"])
HTML = b"<title>Orb</title><p>A web of silk. <a href=/x>next</a></p>"
SITEMAP = b"<urlset><url><loc>http://a.test/deep</loc></url></urlset>"


def fetched(purpose: Any = "page") -> PageFetched:
    return PageFetched(
        job="web",
        url="http://a.test/",
        page=PageRef("f", 0, 1),
        depth=0,
        fetched_at=1.0,
        purpose=purpose,
    )


class Pages:
    def __init__(
        self, body: bytes = HTML, fault: Exception | None = None, kind: str = "text/html"
    ) -> None:
        self.body, self.fault, self.kind = body, fault, kind

    def read(self, _ref: PageRef) -> StoredPage:
        if self.fault:
            raise self.fault
        headers = (("Content-Type", self.kind),)
        return StoredPage(url="http://a.test/", code=200, headers=headers, body=self.body)


def parse(
    pages: Any, purpose: str = "page", patience: float = 20.0, config: JobConfig = CONFIG
) -> ParsedPage | Unparsed:
    return asyncio.run(StoredParser(pages, patience).parse(fetched(purpose), config))


def test_a_page_is_parsed():
    parsed = parse(Pages())

    assert isinstance(parsed, ParsedPage)
    assert parsed.documents[0].title == "Orb"
    assert [link.url for link in parsed.outlinks] == ["http://a.test/x"]


def test_a_link_scope_without_end_costs_its_page_only():
    endless = "//*[count(//*[count(//*[count(//*) > 0]) > 0]) > 0]"
    config = JobConfig(seeds=["http://a.test/"], link_scope=endless)

    ended = parse(Pages(b"<p>x" * 4_000), patience=1.0, config=config)

    assert ended == Unparsed("parser-gave-up")


def test_a_sitemap_is_read_as_one():
    parsed = parse(Pages(SITEMAP), "sitemap")

    assert isinstance(parsed, ParsedPage)
    assert [link.kind for link in parsed.outlinks] == ["sitemap-page"]


def test_a_page_that_cannot_be_read_back_is_said_so():
    assert parse(Pages(fault=CorruptRecord("x"))) == Unparsed("corrupt-record")


def test_a_store_that_does_not_answer_is_no_fault_of_the_page():
    with pytest.raises(Unreachable):
        parse(Pages(fault=Unreachable("x")))


def test_a_page_that_breaks_the_parser_is_given_up(monkeypatch: pytest.MonkeyPatch):
    def burst(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr("gossamer.core.page.read_response.read_response", burst)

    assert parse(Pages()) == Unparsed("parser-gave-up")


def test_a_page_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch):
    def crawl(*_: object) -> None:
        for _turn in range(6000):
            try:
                time.sleep(0.01)
            except Exception:  # noqa: BLE001, S112 as parsers do
                continue

    monkeypatch.setattr("gossamer.core.page.read_response.read_response", crawl)

    assert parse(Pages(), patience=0.1) == Unparsed("parser-gave-up")
    assert signal.getitimer(signal.ITIMER_REAL) == NO_ALARM


def test_a_page_after_another_has_all_its_time():
    assert isinstance(parse(Pages()), ParsedPage)
    assert signal.getitimer(signal.ITIMER_REAL) == NO_ALARM


def test_a_file_is_read_and_one_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch):
    pages = Pages(made_files.pdf(["Silk is strong."]), kind="application/pdf; x=y")

    read = parse(pages)
    monkeypatch.setattr("gossamer.core.page.read_response.read_response", lambda *_: sum(repeat(1)))
    given_up = parse(pages, patience=0.2)

    assert isinstance(read, ParsedPage)
    assert read.documents[0].text == "Silk is strong."
    assert given_up == Unparsed("parser-gave-up")
