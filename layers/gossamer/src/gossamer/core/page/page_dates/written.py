"""A date as a page writes it for people or programs becomes one of ISO 8601."""

from __future__ import annotations

import re
from typing import Final

from gossamer.core.page.dates import is_date
from gossamer.core.page.value_texts.days import read_day

MAX_LENGTH: Final = 64  # characters; what is longer is a sentence
_read_start = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)", re.ASCII).match


def iso_date(text: str, language: str = "") -> str:
    """The date in a text that is nothing else; "" if there is none."""
    text = text.strip()
    if is_date(text):
        return text
    if len(text) > MAX_LENGTH or not any(map(str.isdigit, text)):
        return ""
    if found := _read_start(text):
        return found[0]
    day = read_day(text, language)
    return day.on if day else ""
