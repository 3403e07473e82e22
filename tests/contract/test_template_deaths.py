"""Is a template that ends the parser again and again set aside, in all homes, and nothing else?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest

from gossamer.bolts import page_reading
from gossamer.bolts.page_reading import ENDS, SHARE, read_page
from gossamer.bolts.templates import forget
from gossamer.core.crawl.job import JobConfig
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.page.document import Document, ParsedPage, TemplateReading
from gossamer.core.page.templates.health import HOUR, counts_of, health_of
from gossamer.core.page.templates.matching import template_for
from gossamer.core.page.templates.template import read_template
from gossamer.entrypoints.collection.templates import keep
from gossamer.messages import PageFetched
from gossamer.ports.parser import GAVE_UP, Unparsed

if TYPE_CHECKING:
    from gossamer.ports.home import Home

NOW = 1_000_000.0 * HOUR
CONFIG = JobConfig()
SHOP = read_template('match = "a.test/*"\n[fields.price]\nselect = "//b"', "shop.toml")
WIDER = read_template('match = "a.*"\n[fields.name]\nselect = "i"', "wider.toml")


class Parser:
    """Dies of some pages when they are read by a template, of some in any case."""

    def __init__(self) -> None:
        self.of_template: set[str] = set()
        self.anyhow: set[str] = set()
        self.read: list[tuple[str, bool]] = []  # pages, and whether by values of a template

    async def parse(self, page: Any, _config: Any, templates: Any = ()) -> ParsedPage | Unparsed:
        name = page.url.rpartition("/")[2]
        template = template_for(page.url, templates)
        by_template = bool(template and template.fields)
        self.read.append((name, by_template))
        if name in self.anyhow or (name in self.of_template and by_template):
            return Unparsed(GAVE_UP)
        reading = None
        if template:
            reading = TemplateReading(template=template.name, records=int(by_template))
        return ParsedPage([Document(url=page.url, title=name)], [], reading=reading)


class World(NamedTuple):
    parser: Parser
    home: Home

    @property
    def settings(self) -> Any:
        return self.home.settings

    @property
    def template_health(self) -> Any:
        return self.home.template_health

    async def read(self, name: str, now: float = NOW) -> str:
        """Why the page ends as PARSE says it, and how it was counted."""
        url = f"http://a.test/{name}"
        page = PageFetched(job="web", url=url, page=PageRef("f", 0, 1), depth=0, fetched_at=1.0)
        parsed = await read_page(page, CONFIG, self, now)
        if isinstance(parsed, Unparsed):
            return parsed.reason
        assert [each.title for each in parsed.documents] == [name]
        assert parsed.reading is not None
        self.template_health.add(parsed.reading.template, counts_of(parsed.reading), now)
        return parsed.reading.reason

    def change(self, *templates: Any) -> None:
        keep(self.home, templates)
        self.home.commit()
        forget(self.home.settings)


@pytest.fixture
def world(any_home: Home) -> World:
    world = World(Parser(), any_home)
    world.change(SHOP, WIDER)
    return world


async def test_a_page_that_a_template_ends_the_parser_on_keeps_its_text(world: World):
    world.parser.of_template = {"bad"}

    assert await world.read("bad") == "template-ended"
    assert await world.read("good") == ""
    assert world.parser.read == [("bad", True), ("bad", False), ("good", True)]


async def test_a_page_that_ends_the_parser_by_itself_is_not_the_template_s_fault(world: World):
    world.parser.anyhow = {f"bomb{n}" for n in range(ENDS + 1)}

    assert {await world.read(name) for name in sorted(world.parser.anyhow)} == {GAVE_UP}
    assert await world.read("good") == ""


async def test_a_template_that_does_so_again_and_again_is_set_aside_for_its_pages(world: World):
    world.parser.of_template = {f"bad{n}" for n in range(9)}

    ends = [await world.read(f"bad{n}") for n in range(9)]

    assert ends == ["template-ended"] * ENDS + ["template-set-aside"] * (9 - ENDS)
    assert await world.read("good") == "template-set-aside", "no wider one takes its page"
    assert sum(by_template for _, by_template in world.parser.read) == ENDS
    world.home.commit()
    health = health_of("shop", world.template_health.read(NOW - HOUR, NOW))
    assert health.reasons == {"template-ended": ENDS, "template-set-aside": 10 - ENDS}
    assert health.alarms == [
        f"it ended the parser on {ENDS} of the newest pages: a selector takes too long",
        f"it is set aside: {10 - ENDS} of the newest pages were read without it",
    ]


async def test_it_is_tried_again_when_it_was_changed_and_after_two_hours(world: World):
    world.parser.of_template = {"bad0", "bad1", "bad2"}
    for name in sorted(world.parser.of_template):
        await world.read(name)
    assert await world.read("good") == "template-set-aside"

    assert await world.read("good", NOW + 2 * HOUR) == ""

    better = msgspec.structs.replace(SHOP, title="{price}")
    world.change(better, WIDER)
    assert await world.read("good") == ""


async def test_another_process_learns_of_it_by_its_first_such_page(world: World):
    world.parser.of_template = {"bad0", "bad1", "bad2", "bad3"}
    for n in range(3):
        await world.read(f"bad{n}")
    world.home.commit()
    page_reading._suspects.clear()  # a process that begins

    assert await world.read("bad3") == "template-ended"
    assert await world.read("good") == "template-set-aside"


async def test_what_happens_on_few_of_many_pages_sets_nothing_aside(world: World):
    world.parser.of_template = {"bad0", "bad1", "bad2"}
    for n in range(SHARE * ENDS + 1):
        await world.read(f"good{n}")

    assert {await world.read(f"bad{n}") for n in range(3)} == {"template-ended"}
    assert await world.read("good") == ""
