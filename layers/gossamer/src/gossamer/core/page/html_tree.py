"""The part of resiliparse's trees that is used: the library has no types of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Node(Protocol):
    """An element, a text or a comment of a parsed page."""

    type: int
    tag: str
    text: str
    value: str
    parent: Node
    child_nodes: Sequence[Node]
    first_child: Node | None
    first_element_child: Node | None
    next: Node | None

    def __iter__(self) -> Iterator[Node]:
        """This node and all below it, in the order of the page."""

    def getattr(self, name: str, default: str = "") -> str:
        """An attribute; the default if the element does not have it."""

    def query_selector(self, selector: str) -> Node | None:
        """The first element below that matches a CSS selector."""

    def query_selector_all(self, selector: str) -> Sequence[Node]:
        """Elements below that match a CSS selector; iterate over them by `select_all`."""

    def append_child(self, node: Node) -> Node:
        """Add a last child."""

    def remove_child(self, node: Node) -> Node:
        """Take a child out of the tree."""


class Tree(Protocol):
    """A parsed page."""

    document: Node
    body: Node
    title: str


def select_all(node: Node, selector: str) -> list[Node]:
    """Return the elements below `node` that match, read from the tree in one step.

    Collections of resiliparse 2 are live: every index builds the whole collection again, so that
    iterating over one takes quadratic time. A slice builds it once in every version.
    """
    matches = node.query_selector_all(selector)
    return list(matches[:]) if len(matches) else []  # resiliparse 1 cannot slice an empty one
