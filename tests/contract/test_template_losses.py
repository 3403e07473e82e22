"""Is a page with less than its template says a reason in the ledger and an alarm, everywhere?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from gossamer.bolts.parse import parse
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import Discovery, PageRef, UrlChange
from gossamer.core.crawl.url_state import REASONS, State
from gossamer.core.page.document import Document, ParsedPage, TemplateReading
from gossamer.core.page.templates.health import HOUR
from gossamer.core.page.templates.template import read_template
from gossamer.core.urls import url_id
from gossamer.entrypoints.collection.templates import keep
from gossamer.entrypoints.template_health import healths, template_stats
from gossamer.messages import PageFetched
from gossamer.ports import Ports
from tests.life import bring

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.ports.home import Home

JOB = "web"
PAGES, PER_PAGE = 12, 5
THEN, NOW = 1_000_000.0 * HOUR, 1_000_024.0 * HOUR
TEMPLATE = """
match = "a.test/*"
items = "li"
[fields.name]
select = "b"
[fields.price]
select = "i"
type = "money"
required = true
"""


def reading(records: int, reason: str = "", **fewer: int) -> TemplateReading:
    filled = {"name": records, "price": records} | fewer
    return TemplateReading(
        template="shop", records=records, filled=filled, distinct=filled, reason=reason
    )


def whole(url: str) -> ParsedPage:
    items = [Document(url=url, place=n, template="shop") for n in range(1, PER_PAGE + 1)]
    return ParsedPage(items, [], reading=reading(PER_PAGE))


def incomplete(url: str) -> ParsedPage:
    items = [Document(url=url, place=n, template="shop") for n in range(1, PER_PAGE + 1)]
    return ParsedPage(items, [], reading=reading(PER_PAGE, "template-incomplete", price=1))


def fewer(url: str) -> ParsedPage:
    return ParsedPage([Document(url=url, place=1, template="shop")], [], reading=reading(1))


def untyped(url: str) -> ParsedPage:
    found = reading(PER_PAGE, "template-incomplete", price=0)
    items = [Document(url=url, place=n, template="shop") for n in range(1, PER_PAGE + 1)]
    return ParsedPage(items, [], reading=_with_untyped(found))


def _with_untyped(found: TemplateReading) -> TemplateReading:
    return TemplateReading(
        template=found.template,
        records=found.records,
        filled=found.filled,
        untyped={"price": PER_PAGE},
        distinct=found.distinct,
        reason=found.reason,
    )


def empty(_url: str) -> ParsedPage:
    return ParsedPage([], [], reason="template-empty", reading=reading(0, "template-empty"))


def failed(url: str) -> ParsedPage:
    found = TemplateReading(template="shop", reason="template-failed")
    return ParsedPage([Document(url=url, title="A list")], [], reading=found)


class Parser:
    """Finds what it is told to."""

    def __init__(self, find: Callable[[str], ParsedPage]) -> None:
        self.find = find

    async def parse(self, page: Any, _config: Any, _templates: Any = ()) -> ParsedPage:
        return self.find(page.url)


def url(number: int) -> str:
    return f"http://a.test/{number}"


@pytest.fixture
def home(any_home: Home) -> Home:
    keep(any_home, (read_template(TEMPLATE, "shop.toml"),))
    any_home.jobs.configure(JOB, JobConfig(), THEN)
    found = [Discovery(url_id(url(n)), url(n), "a.test", 1, job=JOB) for n in range(PAGES)]
    any_home.urls.add(found, b"s" * 16, THEN)
    any_home.commit()
    return any_home


async def visit(home: Home, find: Callable[[str], ParsedPage], now: float) -> None:
    """FETCH has stored all pages, and PARSE reads them."""
    ports = Ports(home, cast("Any", None), cast("Any", Parser(find)))
    for number in range(PAGES):
        page = PageRef("a.warc.gz", number, 10)
        change = UrlChange(page=page, fetched_at=now)
        bring(home.urls, url_id(url(number)), State.FETCHED, change)
        message = PageFetched(job=JOB, url=url(number), page=page, depth=0, fetched_at=now)
        await parse(message, ports, now)
    home.commit()


@pytest.mark.parametrize(
    ("find", "state", "reason", "alarm"),
    [
        (empty, State.EXCLUDED, "template-empty", "nothing is found on 100% of the newest pages"),
        (incomplete, State.PARSED, "template-incomplete", "price has a value in 20% of"),
        (untyped, State.PARSED, "template-incomplete", "price is of its type in 0% of"),
        (failed, State.PARSED, "template-failed", "0 records on a page, 5 before"),
        (fewer, State.PARSED, "document", "1 records on a page, 5 before"),
    ],
)
async def test_it_is_told_page_by_page_and_of_the_template(
    home: Home, find: Callable[[str], ParsedPage], state: State, reason: str, alarm: str
):
    await visit(home, whole, THEN)
    assert [each.alarms for each in healths(home, THEN)] == [[]]

    await visit(home, find, NOW)

    for number in range(PAGES):
        record = home.urls.get(url_id(url(number)))
        assert record is not None
        assert (record.state, record.reason) == (state, reason)
    assert REASONS[reason]
    (health,) = healths(home, NOW)
    assert any(said.startswith(alarm) for said in health.alarms), health.alarms
    if reason != "document":
        assert health.reasons == {reason: PAGES}
    (stats,) = template_stats(home, NOW)
    assert (stats.template, stats.alarms) == ("shop", health.alarms)


async def test_what_is_as_it_was_is_no_alarm(home: Home):
    await visit(home, whole, THEN)
    await visit(home, whole, NOW)

    (health,) = healths(home, NOW)
    assert (health.pages, health.pages_before, health.alarms) == (PAGES, PAGES, [])
