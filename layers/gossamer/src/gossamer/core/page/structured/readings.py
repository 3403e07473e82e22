"""Read single properties of linked data as typed values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from gossamer.core.page.value_texts import read_day, read_money, read_number
from gossamer.core.page.value_texts.currencies import code_of
from gossamer.core.page.values import MAX_NUMBER, Date, Image, Money

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.page.structured.graph import Graph, Node
    from gossamer.core.page.structured.lenient_json import Json

MAX_NAME: Final = 500  # characters of a name
MAX_SCALE: Final = 5.0  # ratings are told of five, as most pages tell them
_is_decimal = re.compile(r"-?\d{1,15}(?:\.\d{1,2})?", re.ASCII).fullmatch
_read_duration = re.compile(
    r"P(?:(\d{1,4})D)?T?(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:[\d.]{1,9}S)?", re.ASCII
).fullmatch
_split_camel = re.compile(r"(?<=[a-z])(?=[A-Z])").sub
_NAMES: Final = ("name", "legalName", "alternateName", "@value", "text", "title")
_AVAILABILITY: Final = {
    "instock": "in stock",
    "in_stock": "in stock",
    "available": "in stock",
    "oos": "out of stock",
    "outofstock": "out of stock",
    "outstock": "out of stock",
    "out_of_stock": "out of stock",
    "soldout": "sold out",
    "preorder": "preorder",
    "pre order": "preorder",
    "backorder": "back order",
    "pending": "preorder",
}


def name_of(value: Json) -> str:
    """A text, or the name of an object."""
    if isinstance(value, dict):
        value = next((value[name] for name in _NAMES if isinstance(value.get(name), str)), "")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        value = f"{value:.15g}"
    return " ".join(value[: 4 * MAX_NAME].split())[:MAX_NAME] if isinstance(value, str) else ""


def names_of(graph: Graph, node: Node, *path: str) -> list[str]:
    """The different names behind a path."""
    found = filter(None, map(name_of, graph.values(node, *path)))
    return list(dict.fromkeys(found))


def number_of(value: Json) -> float | None:
    """A number, or a text that says one; in data the decimal mark is a dot."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) <= MAX_NUMBER else None
    if not isinstance(value, str):
        return None
    return read_number(value, "en")


def money_of(value: Json, currency: str, language: str) -> Money | None:
    """A price: a number, a text as data has it, or one as people write it."""
    code = code_of(currency) if currency else ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Money(float(value), code) if abs(value) <= MAX_NUMBER else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    if _is_decimal(text):
        return Money(float(text), code)
    found = read_money(text, language, code)
    return Money(found.amount, code) if found and code else found


def day_of(value: Json, language: str = "") -> Date | None:
    """A day."""
    return read_day(value, language) if isinstance(value, str) else None


def minutes_of(value: Json) -> float | None:
    """A duration, as PT1H30M, in minutes."""
    found = _read_duration(value.strip()) if isinstance(value, str) else None
    if not found or not any(found.groups()):
        return None
    days, hours, minutes = (int(each or 0) for each in found.groups())
    return float(days * 1440 + hours * 60 + minutes)


def availability_of(value: Json) -> str:
    """InStock of https://schema.org/InStock, as "in stock"."""
    text = name_of(value).rstrip("/").rpartition("/")[2]
    known = _AVAILABILITY.get(text.lower())
    return known or _split_camel(" ", text).lower()[:40]


def image_of(value: Json, url: str) -> Image | None:
    """A picture with its full address."""
    text = ""
    if isinstance(value, dict):
        text = name_of(value.get("caption") or value.get("name"))
        value = value.get("url") or value.get("contentUrl") or value.get("@id")
    if not isinstance(value, str) or not value.strip() or len(value) > 2_000:
        return None
    try:
        full = urljoin(url, value.strip())
    except ValueError:
        return None
    return Image(full, text) if full.startswith(("http://", "https://")) else None


def rating_of(graph: Graph, node: Node) -> Iterator[tuple[str, float]]:
    """The rating, of five, and how many gave one."""
    for said in graph.values(node, "aggregateRating"):
        if not isinstance(said, dict):
            continue
        value, best = (number_of(said.get(name)) for name in ("ratingValue", "bestRating"))
        worst = number_of(said.get("worstRating")) or 0.0
        if value is not None and 0 <= value <= (best or MAX_SCALE):
            rescaled = best and best != MAX_SCALE and best > worst
            yield "rating", round(value * MAX_SCALE / best, 2) if best and rescaled else value
        counts = (number_of(said.get(name)) for name in ("reviewCount", "ratingCount"))
        found = [count for count in counts if count is not None]
        if found:
            yield "reviews", found[0]
        return
