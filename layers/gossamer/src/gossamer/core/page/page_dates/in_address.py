"""The date in an address, as many blogs and newspapers write it: /2025/12/16/title."""

from __future__ import annotations

import re

_find = re.compile(
    r"[/_-]((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])[/_-]?(0[1-9]|[12]\d|3[01])(?=[/_.-]|\Z)", re.ASCII
).search


def date_in_address(url: str) -> str:
    """The day that a path names; "" if it names none."""
    found = _find(url.partition("?")[0].partition("://")[2])
    return "-".join(found.groups()) if found else ""
