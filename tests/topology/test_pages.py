"""Do the pages for operators name what the template has?"""

from __future__ import annotations

import re

import pytest

from tests.topology.template import ROOT, functions, load

TEMPLATE = load()
OPERATIONS, FIRST_WEEK = (
    (ROOT / "docs" / name).read_text() for name in ("operations.md", "first-week.md")
)
PAGES = "\n".join(file.read_text() for file in (ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("name", TEMPLATE["Parameters"])
def test_every_parameter_is_explained_somewhere(name):
    assert re.search(rf"`[^`]*\b{name}\b", PAGES)


@pytest.mark.parametrize("name", functions(TEMPLATE))
def test_the_log_of_every_function_can_be_asked_for(name):
    assert f"`{name.capitalize()}Function`" in OPERATIONS


def test_the_first_week_knows_how_many_functions_may_run_at_once():
    given = TEMPLATE["Parameters"].items()
    most = sum(int(each["Default"]) for name, each in given if name.endswith("Concurrency"))

    assert f"the sum of all `…Concurrency` parameters is {most} by default" in FIRST_WEEK
