"""Are stored pages read again by a changed template, in all homes, without asking for them?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer.batch.reread import TICK, Rereading
from gossamer.core.crawl.url_record import Discovery, PageRef, UrlChange
from gossamer.core.crawl.url_state import State
from gossamer.core.page.document import Document, ParsedPage, TemplateReading
from gossamer.core.page.templates.template import read_template
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.templates.keeping import keep, template_in, templates_in
from gossamer.ports.parser import Unparsed
from tests.life import bring

if TYPE_CHECKING:
    from gossamer.ports.home import Home

URL = "http://a.test/list"
SHOP = read_template(
    'match = "a.test/*"\nitems = "li"\n[fields.price]\ntype = "money"\nsort = true\nselect = "b"',
    "shop.toml",
)


class Parser:
    """Finds what it is told to."""

    def __init__(self, result: ParsedPage | Unparsed) -> None:
        self.result = result
        self.templates: Any = None

    async def parse(self, page: Any, config: Any, templates: Any = ()) -> ParsedPage | Unparsed:
        self.templates = templates
        return self.result


def items(*keys: str) -> ParsedPage:
    documents = [Document(url=URL, key=key, place=1, template="shop") for key in keys]
    reason = "" if keys else "template-empty"
    reading = TemplateReading(template="shop", records=len(keys), reason=reason)
    return ParsedPage(documents, [], reason=reason, reading=reading)


@pytest.fixture
def home(any_home: Home) -> Home:
    id = url_id(URL)
    any_home.urls.add([Discovery(id, URL, "a.test", 1, job="web")], b"s" * 16, 100.0)
    page = PageRef("a.warc.gz", 0, 10)
    bring(
        any_home.urls, id, State.PARSED, UrlChange(reason="document", page=page, fetched_at=100.0)
    )
    any_home.documents.put(id, [Document(url=URL, title="A list")], 100.0)
    any_home.commit()
    return any_home


async def reread(home: Home, result: ParsedPage | Unparsed) -> tuple[list[Any], Parser]:
    parser = Parser(result)
    work = Rereading(home, parser, lambda url, _was: url == URL)
    return [page async for page in work.pages(1_000.0)], parser


def stored(home: Home) -> tuple[float, list[str]]:
    (page,) = home.documents.pages([url_id(URL)])
    return page.fetched_at, sorted(document.key for document in page.documents.values())


async def test_a_page_gets_its_new_documents_a_moment_later(home: Home):
    (page,), _ = await reread(home, items("one", "two"))

    assert stored(home) == (100.0 + TICK, ["one", "two"])
    (emission,) = page.emissions
    assert (emission.stream, emission.message.url, emission.message.gone) == ("index", URL, False)


async def test_a_page_that_yields_nothing_leaves_the_index_and_comes_back(home: Home):
    (page,), _ = await reread(home, items())
    record = home.urls.get(url_id(URL))
    assert record is not None
    assert (record.state, record.reason) == (State.EXCLUDED, "template-empty")
    assert page.emissions[0].message.gone

    await reread(home, items("one"))

    record = home.urls.get(url_id(URL))
    assert record is not None
    assert (record.state, record.reason) == (State.PARSED, "document")
    assert stored(home) == (100.0 + TICK + TICK, ["one"])


async def test_a_page_that_cannot_be_read_keeps_what_it_has(home: Home):
    (page,), _ = await reread(home, Unparsed("parser-gave-up"))

    assert (page.reason, page.emissions) == ("parser-gave-up", [])
    assert stored(home) == (100.0, [""])


async def test_templates_are_kept_declared_and_given_to_the_parser(home: Home):
    keep(home, (SHOP,))

    assert template_in(home, "shop") == SHOP
    assert home.settings.get().columns["price"].sort
    _, parser = await reread(home, items("one"))
    assert parser.templates == (SHOP,)

    keep(home, ())
    assert templates_in(home) == ()
    assert home.settings.get().columns == {}
    _, parser = await reread(home, items("one"))
    assert parser.templates == ()
