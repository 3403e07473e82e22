"""Are people told which templates find less than before, in every home?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer.core.page.templates.health import DAYS, HOUR
from gossamer.core.page.templates.template import template_of
from gossamer.core.search.result import TemplateStats
from gossamer.entrypoints.collection.templates import keep
from gossamer.entrypoints.local.report import report, summary
from gossamer.entrypoints.template_health import (
    RememberedStats,
    alarm_lines,
    healths,
    template_stats,
)

if TYPE_CHECKING:
    from gossamer.ports.home import Home

NOW = 500_000.0 * HOUR
GOOD = {"pages": 20, "records": 200, "filled#price": 198, "distinct#price": 150}
BAD = GOOD | {"filled#price": 20, "distinct#price": 20, "template-incomplete": 18}
ALARM = "price has a value in 10% of the newest records, 99% before"


def template(name: str, *fields: str) -> Any:
    given = {"name": name, "match": "a.test/*", "fields": dict.fromkeys(fields, "b")}
    return template_of(given, name)


@pytest.fixture
def home(any_home: Home) -> Home:
    keep(any_home, (template("shop", "price"), template("blog", "title")))
    any_home.template_health.add("shop", GOOD, NOW - 2 * HOUR)
    any_home.template_health.add("shop", BAD, NOW)
    any_home.commit()
    return any_home


def test_each_template_is_told_of_with_its_alarms(home: Home):
    blog, shop = template_stats(home, NOW)

    assert blog == TemplateStats("blog", 0, 0.0, {}, [])
    assert shop == TemplateStats("shop", 20, 10.0, {"template-incomplete": 18}, [ALARM])
    assert alarm_lines([blog, shop]) == [f"  template shop: ALARM: {ALARM}"]


def test_what_is_older_than_counts_are_kept_is_not_compared(home: Home):
    assert all(not each.alarms for each in template_stats(home, NOW + (DAYS * 24 - 0.5) * HOUR))


def test_a_field_that_the_template_has_no_more_is_no_loss(home: Home):
    keep(home, (template("shop", "name"),))

    (shop,) = healths(home, NOW + 100.0)

    assert (shop.fields, shop.alarms) == ({}, [])


def test_a_server_looks_again_after_some_seconds_or_when_templates_have_changed(home: Home):
    remembered = RememberedStats(300.0)
    before = remembered.of(home, NOW)
    home.template_health.forget("shop", NOW)
    home.commit()

    assert remembered.of(home, NOW + 299.0) == before
    assert remembered.of(home, NOW + 300.0)[1].alarms == []
    keep(home, ())
    assert remembered.of(home, NOW + 301.0) == []


@pytest.mark.only("sqlite-memory", "sqlite-disk")
def test_the_report_of_a_crawl_ends_with_the_alarms(home: Home, monkeypatch):
    monkeypatch.setattr("gossamer.entrypoints.local.report.time.time", lambda: NOW)

    told = report(home, "crawl")

    assert [each.template for each in told.templates] == ["blog", "shop"]
    assert f"  template shop: ALARM: {ALARM}" in summary(told).splitlines()
