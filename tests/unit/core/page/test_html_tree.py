"""Are matching elements read in time linear in their number, whatever the parser's release?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from resiliparse.parse.html import HTMLTree

from gossamer.core.page.html_tree import select_all
from scripts.dist import PACKAGE

if TYPE_CHECKING:
    from pathlib import Path


class LiveCollection:
    """A collection as resiliparse 2 has it: it builds all nodes for every index."""

    def __init__(self, size: int) -> None:
        self.nodes = list(range(size))
        self.built = 0

    def __len__(self) -> int:
        return len(self.nodes)

    def __getitem__(self, index: int | slice) -> object:
        self.built += len(self.nodes)
        return self.nodes[index]


class Element:
    def __init__(self, matches: LiveCollection) -> None:
        self.matches = matches

    def query_selector_all(self, selector: str) -> LiveCollection:
        return self.matches


@pytest.mark.parametrize("size", [0, 1, 5000])
def test_a_live_collection_is_built_once(size):
    matches = LiveCollection(size)
    element: Any = Element(matches)
    nodes: list[Any] = list(select_all(element, "a"))

    assert nodes == matches.nodes
    assert matches.built <= size


def test_elements_come_in_the_order_of_the_page():
    tree = HTMLTree.parse('<p><a href="1">one</a><b>no</b></p><a href="2">two</a>')

    assert [node.text for node in select_all(tree.document, "a")] == ["one", "two"]
    assert select_all(tree.document, "table") == []


def query_callers() -> list[Path]:
    source = PACKAGE / "src"
    return [path for path in source.rglob("*.py") if ".query_selector_all(" in path.read_text()]


def test_nothing_else_iterates_over_a_live_collection():
    assert [path.name for path in query_callers()] == ["html_tree.py"]
