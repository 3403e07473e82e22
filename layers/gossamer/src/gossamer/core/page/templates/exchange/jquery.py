"""jQuery's additions to CSS, as XPath where that says the same."""

from __future__ import annotations

import re

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.selecting import compile_selector, to_xpath

# At the end of a selector they choose among all that the rest finds.
_PLACE = re.compile(r":(?:eq\((-?\d+)\)|(first|last))\Z").search
# jQuery takes a text without quotes, with spaces and signs in it.
_quote_bare = re.compile(r""":contains\(\s*([^()'"\s](?:[^()'"]*[^()'"\s])?)\s*\)""").sub
_OURS = ("eq", "first", "last")
_BROWSER = re.compile(
    r":(visible|hidden|animated|input|button|checkbox|selected|gt|lt|even|odd|parent|header"
    rf"|{'|'.join(_OURS)})(?![\w-])"
).search


def translated(selector: str) -> str:
    """A selector that we read; `:contains` is known. Raises ConfigurationError for what cannot be.

    `:first` is the first of all, not of each parent as `:first-of-type` is.
    """
    selector = _quote_bare(r':contains("\1")', selector.strip())
    if place := _PLACE(selector):
        within = translated(selector[: place.start()])
        return _at(f"({to_xpath(within)})", place[1], place[2])
    if odd := _BROWSER(selector):
        raise ConfigurationError(
            f"{selector!r}: :{odd[1]} has no meaning without a browser, or not here; choose the"
            " element by its class, its place (:nth-child) or its text (:contains)"
        )
    compile_selector(selector)
    return selector


def _at(path: str, number: str | None, word: str | None) -> str:
    if number is None:
        return f"{path}[1]" if word == "first" else f"{path}[last()]"
    place = int(number)
    return f"{path}[{place + 1}]" if place >= 0 else f"{path}[last(){place + 1 or ''}]"
