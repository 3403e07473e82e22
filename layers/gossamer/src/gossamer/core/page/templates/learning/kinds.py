"""What kind of value people mean by a text, and when two texts are the same value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from gossamer.core.page.templates.scalars import read_text
from gossamer.core.page.values import Money, in_words

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind: TypeAlias = Literal["text", "number", "money", "date", "link", "image", "keyword"]
MAX_TYPED: Final = 60  # characters of a text that may be a number or a day
_is_number = re.compile(r"-?(?:0|[1-9]\d{0,8})(?:[.,]\d{1,3})*", re.ASCII).fullmatch
_is_money = re.compile(
    r"[^\w\s]?\s?\d[\d.,]*\s?(?:[^\w\s]|[A-Z]{3})?|[A-Z]{3}\s?\d[\d.,]*"
).fullmatch
_has_currency = re.compile(r"[$€£¥₹₽₩]|\b[A-Z]{3}\b").search
_is_day = re.compile(r"\d{4}-\d\d-\d\d").fullmatch
_is_picture = re.compile(r"\.(?:png|jpe?g|gif|webp|svg|avif)(?:\?|$)", re.IGNORECASE).search


def guess(values: Iterable[str]) -> Kind:
    """The kind of value that all texts are."""
    kinds = {_kind(value.strip()) for value in values if value.strip()}
    if kinds == {"number", "money"}:
        return "money"
    return kinds.pop() if len(kinds) == 1 else "text"


def _kind(value: str) -> Kind:
    if value.startswith(("http://", "https://")):
        return "image" if _is_picture(value) else "link"
    if _is_day(value):
        return "date"
    if _is_number(value):
        return "number"
    if _has_currency(value) and _is_money(value):
        return "money"
    return "text"


def plain(text: str, kind: Kind, base: str = "") -> str:
    """What is the same for all ways to write a value; "" for what is none of the kind."""
    if kind in ("text", "keyword"):
        return " ".join(text.split())
    if kind in ("link", "image"):
        value = read_text(text, kind, base, "")
        return in_words(value) if value is not None else ""
    return _typed(text, kind) if len(text) <= MAX_TYPED else ""


def _typed(text: str, kind: Kind) -> str:
    value = read_text(text, "money" if kind == "number" else kind, "", "")
    if isinstance(value, Money):
        return in_words(value.amount)
    return in_words(value) if value is not None else ""


def is_money(texts: Iterable[str]) -> bool:
    """Whether numbers stand beside a currency."""
    return any(_has_currency(text) for text in texts)
