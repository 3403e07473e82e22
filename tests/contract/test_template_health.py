"""Do all homes count what templates find, hour by hour?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.core.page.templates.health import HOUR, HourOfTemplate

if TYPE_CHECKING:
    from gossamer.ports.home import Home

START = 1_000_000 * HOUR


@pytest.fixture
def home(any_home: Home) -> Home:
    return any_home


def test_counts_of_an_hour_add_up_by_template(home: Home):
    home.template_health.add("shop", {"pages": 1, "filled#price": 9}, START + 1)
    home.template_health.add(
        "shop", {"pages": 1, "filled#price": 8, "template-empty": 1}, START + 9
    )
    home.template_health.add("jobs", {"pages": 1}, START + 9)
    home.commit()
    home.template_health.add("shop", {"pages": 1}, START + 99)
    home.template_health.add("shop", {"pages": 5}, START + 30 * HOUR)
    home.commit()

    assert home.template_health.read(START, START + HOUR - 1) == [
        HourOfTemplate("jobs", START // HOUR, {"pages": 1}),
        HourOfTemplate(
            "shop", START // HOUR, {"pages": 3, "filled#price": 17, "template-empty": 1}
        ),
    ]
    assert [each.hour for each in home.template_health.read(START, START + 48 * HOUR)] == [
        START // HOUR,
        START // HOUR,
        START // HOUR + 30,
    ]


def test_an_hour_of_a_template_can_be_forgotten(home: Home):
    for template in ("shop", "jobs"):
        home.template_health.add(template, {"pages": 1}, START)
        home.template_health.add(template, {"pages": 2}, START + HOUR)
    home.commit()
    home.template_health.add("shop", {"pages": 7}, START + HOUR + 1)

    home.template_health.forget("shop", START + HOUR + 2)
    home.template_health.add("shop", {"pages": 3}, START + HOUR + 3)
    home.commit()

    left = home.template_health.read(START, START + 2 * HOUR)
    assert {(each.template, each.hour - START // HOUR): each.counts["pages"] for each in left} == {
        ("shop", 0): 1,
        ("shop", 1): 3,
        ("jobs", 0): 1,
        ("jobs", 1): 2,
    }


def test_a_home_without_counts_has_none(home: Home):
    assert home.template_health.read(START, START + 90 * 24 * HOUR) == []
