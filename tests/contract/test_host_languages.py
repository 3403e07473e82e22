"""Does a page that tells no language have that of its host, in all homes?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from gossamer.bolts.parse import parse
from gossamer.bolts.reread import reread
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import Discovery, PageRef, UrlChange
from gossamer.core.crawl.url_state import State
from gossamer.core.page.document import Document, ParsedPage
from gossamer.core.page.host_language import MAX_COUNTED_PAGES
from gossamer.core.urls import url_id
from gossamer.messages import PageFetched
from gossamer.ports import Ports
from tests.life import bring

if TYPE_CHECKING:
    from gossamer.ports.home import Home

JOB, NOW = "web", 1_000.0
TABLE = "http://a.test/table"


class Parser:
    """Finds a document in a given language, or none."""

    def __init__(self, language: str, text: str = "42") -> None:
        self._language, self._text = language, text

    async def parse(self, page: Any, _config: Any, _templates: Any = ()) -> ParsedPage:
        return ParsedPage([Document(url=page.url, text=self._text, language=self._language)], [])


@pytest.fixture
def home(any_home: Home) -> Home:
    any_home.jobs.configure(JOB, JobConfig(), NOW)
    return any_home


async def visit(home: Home, url: str, language: str, text: str = "42") -> PageFetched:
    """FETCH has stored a page, and PARSE reads it."""
    id, page = url_id(url), PageRef("a.warc.gz", 1, 10)
    if home.urls.get(id) is None:
        home.urls.add([Discovery(id, url, "a.test", 1, job=JOB)], b"s" * 16, NOW)
        bring(home.urls, id, State.FETCHED, UrlChange(page=page, fetched_at=NOW))
    message = PageFetched(job=JOB, url=url, page=page, depth=0, fetched_at=NOW)
    await parse(message, ports(home, language, text), NOW)
    home.commit()
    return message


def ports(home: Home, language: str, text: str = "42") -> Ports:
    return Ports(home, cast("Any", None), cast("Any", Parser(language, text)))


async def visit_all(home: Home, *languages: str) -> None:
    for number, language in enumerate(languages):
        await visit(home, f"http://a.test/{number}", language)


def language_of(home: Home, url: str) -> str:
    (page,) = home.documents.pages([url_id(url)])
    (document,) = page.documents.values()
    return document.language


def test_pages_are_counted_by_host_and_language(home: Home):
    home.host_languages.add("a.test", {"en": 1})
    home.host_languages.add("a.test", {"en": 2, "x": 1})
    home.host_languages.add("b.test:8080", {"de": 1})

    assert home.host_languages.pages("a.test") == {"en": 3, "x": 1}
    home.commit()
    home.host_languages.add("a.test", {"en": 1})
    home.commit()
    assert home.host_languages.pages("a.test") == {"en": 4, "x": 1}
    assert home.host_languages.pages("b.test:8080") == {"de": 1}
    assert home.host_languages.pages("c.test") == {}


@pytest.mark.parametrize("commits", [True, False])
def test_a_host_is_counted_until_it_has_enough_pages(home: Home, commits: bool):
    for _ in range(MAX_COUNTED_PAGES // 4 + 3):
        home.host_languages.add("a.test", {"en": 4})
        if commits:
            home.commit()

    assert home.host_languages.pages("a.test") == {"en": MAX_COUNTED_PAGES}


async def test_a_page_that_tells_none_has_the_language_of_most_pages_of_its_host(home: Home):
    await visit_all(home, *["en"] * 6)

    await visit(home, TABLE, "")

    assert language_of(home, TABLE) == "en"


@pytest.mark.parametrize("languages", [["en", "de"] * 3, ["en"] * 4])
async def test_it_has_none_where_pages_are_few_or_of_several_languages(
    home: Home, languages: list[str]
):
    await visit_all(home, *languages)

    await visit(home, TABLE, "")

    assert language_of(home, TABLE) == ""


async def test_other_hosts_and_pages_that_tell_none_do_not_count(home: Home):
    await visit_all(home, *["en"] * 6)
    await visit(home, "http://b.test/table", "")
    for _ in range(3):
        await visit(home, TABLE, "")

    assert language_of(home, "http://b.test/table") == ""
    assert home.host_languages.pages("a.test") == {"en": 6}


async def test_a_text_in_other_letters_has_no_language(home: Home):
    await visit_all(home, *["en"] * 6)

    await visit(home, TABLE, "", text="Перечень таблиц базы данных")

    assert language_of(home, TABLE) == ""


async def test_a_page_that_is_read_again_has_the_language_of_its_host(home: Home):
    message = await visit(home, TABLE, "")
    assert language_of(home, TABLE) == ""
    await visit_all(home, *["en"] * 6)

    await reread(message, ports(home, ""), NOW + 1)
    home.commit()

    assert language_of(home, TABLE) == "en"
