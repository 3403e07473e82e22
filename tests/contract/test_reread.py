"""Are stored pages read again by a changed template, in all homes, without asking for them?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest

from gossamer.batch.reread import StoredPages
from gossamer.bolts.reread import TICK, Reread, reread
from gossamer.bolts.templates import require, templates_of
from gossamer.core.crawl.url_record import Discovery, PageRef, UrlChange
from gossamer.core.crawl.url_state import State
from gossamer.core.errors import TransientError
from gossamer.core.page.document import Document, ParsedPage, TemplateReading
from gossamer.core.page.templates.collected import write_templates
from gossamer.core.page.templates.template import read_template
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.templates.keeping import template_in, templates_in
from gossamer.entrypoints.collection.templates import keep
from gossamer.messages import DocumentParsed, PageFetched
from gossamer.ports import Ports
from gossamer.ports.parser import Unparsed
from tests.life import bring

if TYPE_CHECKING:
    from gossamer.ports.home import Home

URL = "http://a.test/list"
NOW = 1_000.0
SHOP = read_template(
    'match = "a.test/*"\nitems = "li"\n[fields.price]\ntype = "money"\nsort = true\nselect = "b"',
    "shop.toml",
)


class Parser:
    """Finds what it is told to."""

    def __init__(self, result: ParsedPage | Unparsed) -> None:
        self.result = result
        self.templates: Any = None
        self.pages: list[PageRef] = []

    async def parse(self, page: Any, config: Any, templates: Any = ()) -> ParsedPage | Unparsed:
        self.templates = templates
        self.pages.append(page.page)
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


def messages(home: Home) -> list[PageFetched]:
    found = StoredPages(home, lambda url, _was: url == URL).messages()
    return [message for _, message in found if message is not None]


async def read(home: Home, result: ParsedPage | Unparsed) -> tuple[Reread | None, Parser]:
    """Let PARSE deal with the page as it would in a stack."""
    parser = Parser(result)
    (message,) = messages(home)
    return await reread(message, Ports(home, cast("Any", None), cast("Any", parser)), NOW), parser


def stored(home: Home) -> tuple[float, list[str]]:
    (page,) = home.documents.pages([url_id(URL)])
    return page.fetched_at, sorted(document.key for document in page.documents.values())


async def test_a_page_gets_its_new_documents_a_moment_later(home: Home):
    page, _ = await read(home, items("one", "two"))

    assert stored(home) == (100.0 + TICK, ["one", "two"])
    assert page is not None
    (emission,) = page.emissions
    assert isinstance(emission.message, DocumentParsed)
    assert (emission.stream, emission.message.url, emission.message.gone) == ("index", URL, False)


async def test_a_page_that_yields_nothing_leaves_the_index_and_comes_back(home: Home):
    page, _ = await read(home, items())
    record = home.urls.get(url_id(URL))
    assert record is not None
    assert (record.state, record.reason) == (State.EXCLUDED, "template-empty")
    assert page is not None
    assert isinstance(page.emissions[0].message, DocumentParsed)
    assert page.emissions[0].message.gone

    await read(home, items("one"))

    record = home.urls.get(url_id(URL))
    assert record is not None
    assert (record.state, record.reason) == (State.PARSED, "document")
    assert stored(home) == (100.0 + TICK + TICK, ["one"])


async def test_a_page_that_cannot_be_read_keeps_what_it_has(home: Home):
    page, _ = await read(home, Unparsed("parser-gave-up"))

    assert page is not None
    assert (page.reason, page.emissions) == ("parser-gave-up", [])
    assert stored(home) == (100.0, [""])


async def test_templates_are_kept_declared_and_given_to_the_parser(home: Home):
    keep(home, (SHOP,))

    assert template_in(home, "shop") == SHOP
    assert home.settings.get().columns["price"].sort
    _, parser = await read(home, items("one"))
    assert parser.templates == (SHOP,)

    keep(home, ())
    assert templates_in(home) == ()
    assert home.settings.get().columns == {}
    _, parser = await read(home, items("one"))
    assert parser.templates == ()


async def test_a_page_that_was_visited_meanwhile_is_read_as_it_is_now(home: Home):
    """PARSE may have read the visit by the templates of a minute ago."""
    (message,) = messages(home)
    newer = PageRef("b.warc.gz", 0, 10)
    change = UrlChange(reason="document", page=newer, fetched_at=500.0)
    bring(home.urls, url_id(URL), State.PARSED, change)
    home.documents.put(url_id(URL), [Document(url=URL, title="By old templates")], 500.0)
    parser = Parser(items("one"))

    done = await reread(message, Ports(home, cast("Any", None), cast("Any", parser)), NOW)

    assert done is not None
    assert parser.pages == [newer]
    assert stored(home) == (500.0 + TICK, ["one"])


@pytest.mark.parametrize("state", [State.FETCHING, State.FETCHED])
async def test_a_page_that_is_being_visited_waits_for_that(home: Home, state: State):
    (message,) = messages(home)
    bring(home.urls, url_id(URL), state)

    with pytest.raises(TransientError, match="is being visited"):
        await reread(message, Ports(home, cast("Any", None), cast("Any", Parser(items()))), NOW)

    assert stored(home) == (100.0, [""])


async def test_a_page_that_is_gone_is_left_alone(home: Home):
    (message,) = messages(home)
    bring(home.urls, url_id(URL), State.GONE, UrlChange(reason="http-404"))
    ports = Ports(home, cast("Any", None), cast("Any", Parser(items("one"))))

    assert await reread(message, ports, NOW) is None
    assert stored(home) == (100.0, [""])


async def test_a_message_that_comes_twice_leaves_the_same_documents(home: Home):
    (message,) = messages(home)
    ports = Ports(home, cast("Any", None), cast("Any", Parser(items("one"))))

    first, second = [await reread(message, ports, NOW) for _ in range(2)]

    assert first == second
    assert stored(home) == (100.0 + TICK, ["one"])


def test_what_is_sent_can_go_on_behind_any_url(home: Home):
    ids = [url_id(f"http://a.test/{n}") for n in range(5)]
    found = [Discovery(id, f"http://a.test/{n}", "a.test", 1, job="web")
             for n, id in enumerate(ids)]  # fmt: skip
    home.urls.add(found, b"s" * 16, 100.0)
    change = UrlChange(reason="document", page=PageRef("a.warc.gz", 0, 10), fetched_at=100.0)
    for id in ids:
        bring(home.urls, id, State.PARSED, change)
    home.commit()
    pages = StoredPages(home, lambda _url, _was: True)

    whole = list(pages.messages())

    assert len(whole) == 6
    for place, (mark, _) in enumerate(whole):
        assert list(pages.messages(mark)) == whole[place + 1 :]


def test_a_page_is_never_read_by_templates_older_than_those_that_were_meant(home: Home):
    assert templates_of(home.settings, NOW) == ()
    before = home.settings.get()
    name = home.settings.put_list(write_templates((SHOP,)))
    after = msgspec.structs.replace(before, version=before.version + 1, templates=name)
    assert home.settings.put(after)  # another process did
    assert templates_of(home.settings, NOW) == (), "they are looked at once a minute"

    require(home.settings, after.version, NOW)

    assert templates_of(home.settings, NOW) == (SHOP,)
    with pytest.raises(TransientError, match="cannot be read yet"):
        require(home.settings, after.version + 1, NOW)


def test_what_comes_after_a_change_of_templates_knows_them(home: Home, monkeypatch):
    """A store that is read at half price tells older settings for a moment."""
    get, put = home.settings.get, home.settings.put
    old, left = get(), [0]
    waited: list[float] = []

    def put_slowly(settings: Any) -> bool:
        left[0] = 3
        return put(settings)

    def get_late() -> Any:
        left[0] -= 1
        return old if left[0] >= 0 else get()

    monkeypatch.setattr("time.sleep", waited.append)
    monkeypatch.setattr(home.settings, "put", put_slowly)
    monkeypatch.setattr(home.settings, "get", get_late)

    keep(home, (SHOP,))

    assert templates_in(home) == (SHOP,)
    assert len(waited) >= 2
