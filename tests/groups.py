"""Groups of segments that answer in this process, over JSON as functions do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from gossamer.search.groups.group import Group
from gossamer.search.groups.groups import Groups
from gossamer.search.groups.questions import Question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.collection import CollectionSettings
    from gossamer.core.index.analyzer import Analyzer
    from gossamer.ports.documents import DocumentStore
    from gossamer.ports.segments import SegmentStore


class Function:
    """A function that answers for groups; every event goes through JSON, there and back."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self.asked: list[list[Question]] = []  # turn by turn

    def __call__(self, questions: Sequence[bytes]) -> list[bytes]:
        turn = [msgspec.convert(json.loads(each), type=Question) for each in questions]
        self.asked.append(turn)
        answers = [msgspec.to_builtins(self._group.answer(question)) for question in turn]
        return [json.dumps(answer).encode() for answer in answers]


def groups_of(
    index: SegmentStore,
    documents: DocumentStore,
    analyzer: Analyzer,
    settings: CollectionSettings,
    most: int = 1,
    synonyms: Sequence[str] = (),
) -> Groups:
    """Groups of at most so many documents; with one, each segment is a group."""
    return Groups(Function(Group(index, documents, analyzer, settings, synonyms)), most)
