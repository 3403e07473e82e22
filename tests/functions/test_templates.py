"""Do templates work in a stack: kept, tried, learned, applied, watched and exported?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.functions.rehearsal import Rehearsal
from tests.functions.terminal import typed
from tests.pump import answer, robots
from tests.topology.template import allowed_calls, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Item = Callable[[int, int, str], str]

ALLOWED = allowed_calls(load())
HOST = "http://shop.test"
HOUR = 3600.0
DAY = 24 * HOUR
PAGES, PER_PAGE = 12, 5
TEMPLATE = """
match = "http://shop.test/c/*"
items = ".card"
key = "sku"
title = "{name}"
url = "page"
next = "a.next"
[fields.name]
select = "h2"
search = true
[fields.sku]
select = "@data-sku"
type = "keyword"
[fields.price]
select = ".price"
type = "money"
sort = true
required = true
[fields.page]
select = "h2 a"
type = "link"
[[examples]]
page = "http://shop.test/c/1"
expect = { sku = "1-0", price = 2.0 }
"""


def price(place: int, number: int) -> float:
    return round(1.0 + place + number / 10, 2)  # no two are the same


def card(place: int, number: int, mark: str) -> str:
    return (
        f'<div class="card" data-sku="{place}-{number}">'
        f'<h2><a href="/p/{place}-{number}">Scarf no{place}x{number}</a></h2>'
        f'<p class="{mark}">${price(place, number):.2f}</p></div>'
    )


def tile(place: int, number: int, mark: str) -> str:
    """The same after a redesign."""
    price_said = f"${price(place, number):.2f}" if mark else "Log in to see the price"
    return (
        f'<li class="tile"><section data-id="{place}-{number}"><a href="/p/{place}-{number}">'
        f"<span>Scarf no{place}x{number}</span></a><b>{price_said}</b></section></li>"
    )


def publish(stack: Rehearsal, mark: str = "price", item: Item = card) -> None:
    """Lists of scarves, each with a link to the next; prices are in elements of this class."""
    site = stack.fetcher.answers
    site[f"{HOST}/robots.txt"] = robots("User-agent: *\nAllow: /\n")
    site[f"{HOST}/"] = html('<a href="/c/1">scarves</a>')
    for place in range(1, PAGES + 1):
        cards = "".join(item(place, number, mark) for number in range(PER_PAGE))
        kind = "next" if item is card else "forward"
        more = f'<a class="{kind}" href="/c/{place + 1}">more</a>' if place < PAGES else ""
        site[f"{HOST}/c/{place}"] = html(cards + more)


def html(body: str) -> Any:
    text = f"<html lang=en><head><title>A shop</title></head><body>{body}</body></html>"
    return answer(200, text, headers=[("Content-Type", "text/html; charset=utf-8")])


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    path: Path = tmp_path_factory.mktemp("templates") / "shop.toml"
    path.write_text(TEMPLATE)
    return path


@pytest.fixture
def stack() -> Iterator[Rehearsal]:
    """A stack that has crawled the shop, with no template; no function may do what it may not."""
    rehearsal = Rehearsal()
    publish(rehearsal)
    config = {"delay": 0.0, "exclude": [f"{HOST}/p/*"]}
    rehearsal.ask("POST", "/seeds", {"urls": [f"{HOST}/"], "job": "web", "config": config})
    rehearsal.run(60.0)
    yield rehearsal
    rehearsal.close()
    for function, calls in rehearsal.calls.items():
        assert calls <= ALLOWED[function], function


def found(stack: Rehearsal, query: str = "template:shop", **how: str) -> list[str]:
    """The numbers of the scarves that a new process of the API finds, in its order."""
    stack.forget("api", "search")  # they remember manifest and settings by the clock of the machine
    given = "".join(f"&{name}={value}" for name, value in how.items())
    hits = stack.ask("GET", f"/search?q={query}&limit=100{given}")["hits"]
    return [hit["url"].rpartition("/")[2] for hit in hits]


def by_price(low: float = 0.0, high: float = 1e9) -> list[str]:
    every = {
        f"{place}-{number}": price(place, number)
        for place in range(1, PAGES + 1)
        for number in range(PER_PAGE)
    }
    return [sku for sku in sorted(every, key=every.__getitem__) if low <= every[sku] <= high]


def apply(stack: Rehearsal, *what: object) -> Any:
    done = typed(stack, "template", "apply", *what, "--json").result
    stack.run(120.0)
    return done


def test_stored_pages_are_read_again_from_the_warc_and_their_values_can_be_searched(stack, file):
    assert found(stack) == []
    requests = len(stack.fetcher.asked)

    done = apply(stack, file)

    assert (done["sent"], done["resumed"]) == (PAGES, False)
    assert done["outdated"] == PAGES + 1, "the old documents, and the home page"
    assert found(stack, sort="price") == by_price()
    assert found(stack, "price:3..5", sort="-price") == by_price(3, 5)[::-1]
    assert found(stack, "name:no7x2") == ["7-2"]
    exported = typed(stack, "export", "--what", "documents", "--format", "jsonl").out
    rows = [json.loads(line) for line in exported.splitlines()]
    values = {row["values"]["sku"]: row["values"] for row in rows if row.get("template") == "shop"}
    assert values["4-1"]["price"] == {"type": "money", "amount": 5.1, "currency": "USD"}
    assert len(values) == PAGES * PER_PAGE

    assert typed(stack, "template", "remove", "shop").code == 0
    apply(stack)
    assert found(stack) == []
    assert len(stack.fetcher.asked) == requests, "no website was asked"


def test_pages_that_are_fetched_later_are_read_by_the_template_that_was_added(stack, file):
    kept = typed(stack, "template", "add", file, "--json").result
    assert kept["templates"] == ["shop"]
    stack.clock.advance(60.0)  # PARSE looks at templates once a minute

    place = PAGES + 1
    stack.fetcher.answers[f"{HOST}/c/{place}"] = html(card(place, 0, "price"))
    stack.ask("POST", "/seeds", {"urls": [f"{HOST}/c/{place}"], "job": "web"})
    stack.run(120.0)

    assert found(stack) == [f"{place}-0"]


def test_a_template_is_begun_tried_shown_learned_and_exported(stack, file, tmp_path):
    first = f"{HOST}/c/1"
    begun = tmp_path / "begun.toml"
    begun.write_text(typed(stack, "template", "new", first, "begun").out)
    tried = typed(stack, "template", "test", begun, first, "--json").result
    assert tried["pages"][0]["records"][0]["values"]["title"] == "A shop"

    shown = typed(stack, "template", "test", file)  # of stored pages, which it finds by itself
    assert shown.code == 0, shown.err
    assert "2 USD" in shown.out
    assert "/html/body/div[1]/p" in shown.out
    assert "examples: all 1 hold" in shown.out

    assert typed(stack, "template", "add", file).code == 0
    (listed,) = typed(stack, "template", "list", "--json").result
    assert (listed["name"], sorted(listed["fields"])) == ("shop", ["name", "page", "price", "sku"])
    again = tmp_path / "again.toml"
    again.write_text(typed(stack, "template", "show", "shop").out)
    assert not typed(stack, "template", "add", again, "--json").result["changed"]
    schema = json.loads(typed(stack, "template", "export", "shop").out)
    assert [field["name"] for field in schema["fields"]] == ["name", "sku", "price", "page"]


def test_values_are_learned_from_stored_pages(stack, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    marks = [
        word
        for place in (1, 2, 3)
        for word in ("--page", f"{HOST}/c/{place}", "--value", f"price={price(place, 0)}")
    ]

    learned = typed(stack, "template", "learn", "learned", *marks)

    assert learned.code == 0, learned.err
    tried = typed(stack, "template", "test", "learned.toml", f"{HOST}/c/9", "--json").result
    value = tried["pages"][0]["records"][0]["values"]["price"]
    assert (value["amount"] if isinstance(value, dict) else value) == price(9, 0)


def test_a_site_that_changed_is_an_alarm_until_the_template_is_repaired(stack, file, tmp_path):
    apply(stack, file)
    assert stack.ask("GET", "/stats")["templates"] == [
        {"template": "shop", "pages": PAGES, "items": PER_PAGE, "reasons": {}, "alarms": []}
    ]
    assert typed(stack, "template", "health").code == 0

    publish(stack, mark="cost")
    stack.clock.advance(30 * DAY)
    stack.metrics.clear()
    stack.invoke("recrawl", {"budget": 10_000, "minutes": 60_000})
    stack.run(300.0)

    told = [line["TemplateAlarms"] for line in stack.metrics if "TemplateAlarms" in line]
    assert [*map(max, told)] == [1.0], "one template, told once: when the job had finished"
    alarm = "price has a value in 0% of the newest records, 100% before"
    (said,) = stack.ask("GET", "/stats")["templates"]
    assert (said["template"], said["reasons"]) == ("shop", {"template-incomplete": PAGES})
    assert alarm in said["alarms"]
    report = typed(stack, "stats")
    assert f"template shop: ALARM: {alarm}" in report.out
    assert typed(stack, "template", "health").code == 1

    repaired = tmp_path / "shop.toml"
    repaired.write_text(TEMPLATE.replace('".price"', '[".price", ".cost"]'))
    apply(stack, repaired)

    assert found(stack, sort="price") == by_price()
    stack.clock.advance(HOUR)
    assert stack.ask("GET", "/stats")["templates"][0]["alarms"] == []


def redesign(stack: Rehearsal, mark: str = "b") -> None:
    """A month later all pages look otherwise, and are crawled again."""
    publish(stack, mark, tile)
    stack.clock.advance(30 * DAY)
    stack.invoke("recrawl", {"budget": 10_000, "minutes": 60_000})
    stack.run(300.0)


def test_a_redesigned_site_is_healed_by_what_lies_in_the_bucket(stack, file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    apply(stack, file)
    redesign(stack)
    assert found(stack) == []
    (said,) = stack.ask("GET", "/stats")["templates"]
    assert said["reasons"] == {"template-empty": PAGES}
    assert "nothing is found on 100% of the newest pages, on 0% before" in said["alarms"]
    assert typed(stack, "template", "health").code == 1
    asked = len(stack.fetcher.asked)

    proposed = typed(stack, "template", "heal", "shop", "--json").result

    assert (proposed["share_before"], proposed["share_after"]) == (0.0, 1.0)
    assert (proposed["records"], proposed["stored"]) == (PAGES * PER_PAGE, 4 * PAGES * PER_PAGE)
    assert (tmp_path / "shop.healed.toml").exists()
    stack.run(120.0)
    assert found(stack) == [], "it is only proposed"

    done = typed(stack, "template", "heal", "shop", "--apply", "--json").result
    assert (done["applied"]["sent"], done["refused"]) == (PAGES, "")
    stack.run(120.0)

    assert found(stack, sort="price") == by_price()
    assert found(stack, "price:3..5", sort="-price") == by_price(3, 5)[::-1]
    assert len(stack.fetcher.asked) == asked, "no website was asked"
    stack.clock.advance(HOUR)
    assert stack.ask("GET", "/stats")["templates"][0]["alarms"] == []


def test_what_loses_values_is_not_used_on_a_stack_either(stack, file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    apply(stack, file)
    redesign(stack, mark="")
    before = typed(stack, "template", "show", "shop").out

    refused = typed(stack, "template", "heal", "shop", "--apply")

    assert refused.code == 1
    assert "180 of 240 stored values come out (75.0%), not 95%" in refused.out
    assert typed(stack, "template", "show", "shop").out == before
    stack.run(120.0)
    assert found(stack) == []
