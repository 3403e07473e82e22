"""Attribute types that PynamoDB does not have."""

from __future__ import annotations

import math
from typing import Any

from pynamodb.attributes import Attribute, BinaryAttribute, UnicodeAttribute
from pynamodb.constants import LIST, NUMBER

from gossamer.core.crawl.url_record import PageRef

LEAST = 1e-120  # DynamoDB knows no number between this and nothing


class Time(Attribute[float]):
    """Epoch seconds, or any number with a fraction.

    The shortest decimal that is this float has at most 17 digits, of 38 that DynamoDB keeps: it
    comes back as the same float, and decimals compare as their floats do.
    """

    attr_type = NUMBER

    def serialize(self, value: float) -> str:
        value = float(value)
        if not math.isfinite(value):
            raise ValueError(f"{self.attr_name} must be finite, not {value}")
        return repr(value) if abs(value) > LEAST else "0"

    def deserialize(self, value: str) -> float:
        """The same float again; DynamoDB says 100 for 100.0."""
        return float(value)


class Count(Attribute[int]):
    """A whole number."""

    attr_type = NUMBER

    def serialize(self, value: int) -> str:
        return str(int(value))

    def deserialize(self, value: str) -> int:
        """A whole number, whatever way it is written."""
        return int(value) if value.lstrip("-").isdecimal() else int(float(value))


class Ref(Attribute[PageRef]):
    """Where a page lies: a list of file, offset and length."""

    attr_type = LIST

    def serialize(self, value: PageRef) -> list[dict[str, str]]:
        return [{"S": value.file}, {"N": str(value.offset)}, {"N": str(value.length)}]

    def deserialize(self, value: list[dict[str, str]]) -> PageRef:
        return PageRef(value[0]["S"], int(value[1]["N"]), int(value[2]["N"]))


def blob(name: str, **more: Any) -> BinaryAttribute:
    """Bytes as they are."""
    return BinaryAttribute(attr_name=name, legacy_encoding=False, **more)


def text(name: str, **more: Any) -> UnicodeAttribute:
    """A string."""
    return UnicodeAttribute(attr_name=name, **more)
