"""A small collection on disk, indexed, whose pages were written by an attacker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer import homes
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.settings import Settings
from tests.indexing import index_home

if TYPE_CHECKING:
    from pathlib import Path

NASTY = (
    "plain words about silk and spiders",
    "<script>alert(1)</script> silk \x1b[31m red \x1b]0;title\x07",
    "\u202egnorw \u2066silk\u2069 \0 silk\u0301\u0301\u0301",
    "silk " * 3_000,
    "a" * 50_000,
    "naïve café 日本語 ไทย שלום مرحبا 🕸",
    " ".join(f"word{n}" for n in range(3_000)),
    "&amp; && || !! (( )) \" ' * site: title: - =",
)


def make_collection(folder: Path) -> Settings:
    """Every nasty text as a title and as a body."""
    settings = Settings(data=str(folder))
    home = homes.open_home(settings)
    for number, text in enumerate(NASTY):
        url = f"http://h{number}.test/{'%3Cb%3E' * number}?q={number}"
        document = Document(url=url, title=text[:500], text=f"{text}. silk", language="en")
        home.documents.put(url_id(url), [document], 100.0 + number)
    index_home(home)
    home.close()
    return settings
