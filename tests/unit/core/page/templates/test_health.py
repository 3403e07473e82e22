from __future__ import annotations

from gossamer.core.page.document import TemplateReading
from gossamer.core.page.templates.health import HourOfTemplate, counts_of, health_of


def hour(number: int, pages: int, **counts: int) -> HourOfTemplate:
    named = {name.replace("__", "#"): count for name, count in counts.items()}
    return HourOfTemplate("shop", number, {"pages": pages, **named})


GOOD = {
    "records": 200,
    "filled__price": 198,
    "distinct__price": 150,
    "untyped__price": 2,
}


def test_a_page_adds_what_was_found_and_why_that_is_too_little():
    reading = TemplateReading(
        template="shop",
        records=3,
        filled={"price": 2},
        untyped={"price": 1},
        distinct={"price": 2, "name": 0},
        reason="template-incomplete",
    )

    assert {name: count for name, count in counts_of(reading).items() if count} == {
        "pages": 1,
        "records": 3,
        "filled#price": 2,
        "untyped#price": 1,
        "distinct#price": 2,
        "template-incomplete": 1,
    }


def test_a_template_that_finds_what_it_found_is_well():
    health = health_of("shop", [hour(1, 20, **GOOD), hour(2, 20, **GOOD)])

    assert (health.pages, health.pages_before, health.items) == (20, 20, 10.0)
    assert health.fields["price"].fill == 0.99
    assert health.alarms == []


def test_a_field_that_is_found_less_is_an_alarm():
    worse = GOOD | {"filled__price": 100, "distinct__price": 80}

    (alarm,) = health_of("shop", [hour(1, 20, **GOOD), hour(2, 20, **worse)]).alarms

    assert alarm == "price has a value in 50% of the newest records, 99% before"


def test_values_that_are_no_more_of_their_type_or_all_the_same_are_alarms():
    untyped = GOOD | {"filled__price": 170, "untyped__price": 150, "distinct__price": 2}

    alarms = health_of("shop", [hour(1, 20, **GOOD), hour(2, 20, **untyped)]).alarms

    assert [alarm.split(" ", 1)[1].split(" in ")[0] for alarm in alarms] == [
        "is of its type",
        "differs",
    ]


def test_pages_with_half_as_many_records_are_an_alarm():
    fewer = {name: count // 4 for name, count in GOOD.items()}

    (alarm,) = health_of("shop", [hour(1, 20, **GOOD), hour(2, 20, **fewer)]).alarms

    assert alarm == "2.5 records on a page, 10 before"


def test_pages_that_yield_nothing_are_an_alarm():
    nothing = {"template-empty": 20, "distinct__price": 0}

    health = health_of("shop", [hour(1, 20, **GOOD), hour(2, 20, **nothing)])

    assert health.reasons == {"template-empty": 20}
    assert health.alarms[0] == "nothing is found on 100% of the newest pages, on 0% before"


def test_pages_that_yield_nothing_are_an_alarm_beside_long_lists():
    """By records they are few: half of the pages of a list with ten records each."""
    half = GOOD | {"records": 100, "filled__price": 99, "template-empty": 10}

    health = health_of("shop", [hour(1, 20, **GOOD), hour(2, 20, **half)])

    assert health.alarms == ["nothing is found on 50% of the newest pages, on 0% before"]


def test_three_pages_say_something_if_they_have_many_records_or_none_any_more():
    good = {"records": 75, "filled__price": 75, "distinct__price": 70}
    no_prices = {"records": 75, "distinct__price": 0}

    (alarm,) = health_of("shop", [hour(1, 3, **good), hour(2, 3, **no_prices)]).alarms
    gone = health_of("shop", [hour(1, 3, **good), hour(2, 3, **{"template-empty": 3})]).alarms
    two = health_of("shop", [hour(1, 3, **good), hour(2, 2, **{"template-empty": 2})]).alarms

    assert alarm == "price has a value in 0% of the newest records, 100% before"
    assert gone[0] == "nothing is found on 100% of the newest pages, on 0% before"
    assert two == [], "they may be closed for a day"


def test_a_template_that_was_repaired_is_well():
    nothing = {"template-empty": 20}

    assert health_of("shop", [hour(1, 20, **nothing), hour(2, 20, **GOOD)]).alarms == []


def test_a_few_pages_say_nothing():
    assert health_of("shop", [hour(1, 20, **GOOD), hour(2, 3, records=3)]).alarms == []
    assert health_of("shop", []).alarms == []
