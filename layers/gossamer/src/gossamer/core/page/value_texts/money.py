"""Read an amount of money as shops write it: "1.234,50 €", "from US$ 12", "99:- kr", "free"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gossamer.core.page.value_texts.currencies import THREE_DECIMALS, Mention, mentions
from gossamer.core.page.value_texts.numbers import scale_after
from gossamer.core.page.value_texts.numerals import MAX_DIGITS, Numeral, numerals
from gossamer.core.page.value_texts.plain_digits import plain
from gossamer.core.page.values import MAX_NUMBER, Money

if TYPE_CHECKING:
    from collections.abc import Iterator

# A text that is one of these words says that something costs nothing.
_FREE: Final = frozenset(
    str.split(
        "free gratis kostenlos umsonst gratuit gratuite gratuito gratuita grátis gratuitement"
        " bezpłatnie bezpłatny darmowy darmowe бесплатно безкоштовно zdarma zadarmo"
        " ingyenes ilmainen ücretsiz bedava 無料 免费 免費 무료 مجاني مجانا δωρεάν"
        " besplatno безплатно חינם"
    )
)
_CENTS: Final = re.compile(r"(\d{1,3}) ?(?:¢|(?:p|cents?)\Z)", re.ASCII)
# "35€99" and "35 € 99": the sign stands where the decimal mark would.
_MARKED: Final = re.compile(
    r"(\d)(\s?(?:€|EUR|zł|₽|\$|£|₴|Kč|kr)\s?)(\d\d)"
    r"(?![\d.,:%]|\s?\d|\s?[€$£%]|\s?[xX×]|\s?zł)"
)
_GAP: Final = 4  # characters between an amount and its currency
_is_thousandth = re.compile(r"\d{1,3}\.\d{3}", re.ASCII).fullmatch
_is_rate = re.compile(r"\s?(?:%|\u00a0%)").match
_ends_in_minus = re.compile(r"(?:\A|[\s(:])[-\u2013](?:[^\s\d()-]{1,4}\s?)?\Z").search
# "1 299,- kr": a currency behind such a number shows that its space is no end, also in English.
_ends_spaced = re.compile(
    r"(?<![\d.,])\d{1,3}(?: \d{3})+(?:[.,]\d\d)?(?:[.,:]?[-\u2013]{1,2})?\s?\Z", re.ASCII
).search
_is_bracketed = re.compile(r"\([^()]*\d[^()]*\)").fullmatch
# "559. 99" and "118, 99": a space that slipped into the cents.
_SLIPPED: Final = re.compile(r"(\d[.,]) (\d\d)(?![\d.,%])")
# "26 to 50 €": the currency of a range stands behind its end.
_RANGE: Final = re.compile(
    r"\s?(?:[-\u2013~\u301c\uff5e]|to|bis|a|à|al|hasta|até|tot|do|до|till|til|à partir)\s?"
)
_before_amount = re.compile(r"[\s\u00a0.:*'=]*-?").fullmatch
_after_amount = re.compile(r"[\s\u00a0*']*|[.,:][-\u2013]{0,2}\s?|[-\u2013]{1,2}\s?").fullmatch


def read_money(text: str, language: str = "", currency: str = "") -> Money | None:
    """The first amount with a currency beside it, or else the first that is no percentage.

    `currency` is that of an amount without one, and decides what "$" or "kr" means.
    """
    text = plain(text)
    cents = _CENTS.fullmatch(text.strip("., "))
    if cents:
        return Money(int(cents[1]) / 100, "GBP" if text.endswith("p") else currency or "USD")
    text = _with_mark(text)
    named = mentions(text, language, currency)
    found = _amount(text, named, language, currency)
    if found is not None:
        return found
    return Money(0.0, _known(named, currency)) if _is_free(text) else None


def _amount(text: str, named: list[Mention], language: str, currency: str) -> Money | None:
    before = (text[max(0, each.start - MAX_DIGITS) : each.start] for each in named)
    spaced = any(map(_ends_spaced, before))
    found = numerals(text, "" if spaced else language, money=True)
    amounts = [amount for amount in found if not _is_rate(text, amount.end)]
    if not amounts:
        return None
    at, code = next(_pairs(text, amounts, named), (0, _known(named, currency)))
    if at and _RANGE.fullmatch(text, amounts[at - 1].end, amounts[at].start):
        at -= 1
    value = _with_sign(text, amounts[at], code)
    return Money(value, code or currency) if abs(value) <= MAX_NUMBER else None


def _pairs(text: str, amounts: list[Numeral], named: list[Mention]) -> Iterator[tuple[int, str]]:
    """Which amounts stand beside a currency, and its code."""
    for at, amount in enumerate(amounts):
        before = [each for each in named if _precedes(text, each.end, amount.start)]
        after = [each for each in named if _follows(text, amount.end, each.start)]
        if before or after:
            yield at, _more_exact(text, [*after, *before])


def _more_exact(text: str, beside: list[Mention]) -> str:
    """A code on one side of a number says more than a sign on the other: "$12.99 AUD"."""
    exact = (each.code for each in beside if text[each.start : each.end] == each.code)
    return next(exact, "") or next(filter(None, (each.code for each in beside[::-1])), "")


def _precedes(text: str, end: int, start: int) -> bool:
    return 0 <= start - end <= _GAP and _before_amount(text, end, start) is not None


def _follows(text: str, end: int, start: int) -> bool:
    return 0 <= start - end <= _GAP and _after_amount(text, end, start) is not None


def _with_mark(text: str) -> str:
    """A text in which a sign between euros and cents is a decimal mark, and no space is."""
    text = _SLIPPED.sub(r"\1\2", text)
    return _MARKED.sub(r"\1.\3 \2", text)


def _with_sign(text: str, amount: Numeral, code: str) -> float:
    written = text[amount.start : amount.end]
    exact = code in THREE_DECIMALS and _is_thousandth(written)
    value = (float(written) if exact else amount.value) * scale_after(text, amount.end)
    negative = _ends_in_minus(text[: amount.start]) or _is_bracketed(text)
    return -value if negative and value else value


def _known(named: list[Mention], currency: str) -> str:
    return next((mention.code for mention in named if mention.code), currency)


def _is_free(text: str) -> bool:
    return " ".join(text.casefold().split()).strip("!.* ()") in _FREE | {"za darmo", "miễn phí"}
