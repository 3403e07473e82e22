"""Measure how often a language is told right, on the translations of the Debian handbook.

    apt-get download debian-handbook && dpkg-deb -x debian-handbook_*.deb handbook
    python -m scripts.measure_languages handbook/usr/share/doc/debian-handbook/html

A page may be translated in part, so only those of its paragraphs count that have fewer than three
in ten of their word triples from the English book. docs/decisions/0039 has the results.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from resiliparse.parse.html import HTMLTree

from gossamer.core.index.languages import SAME_LANGUAGE
from gossamer.core.page.language import language_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGLISH = "en-US"
TRANSLATED = 0.3  # of the triples of a paragraph may be English: names and commands are
LEAST = 500  # characters of translated prose, for a page to count
LENGTHS = (200, 300, 500, 1500, 3000)  # of the beginning that is shown

_find_words = re.compile(r"\w+").findall


def paragraphs(page: Path) -> Iterator[str]:
    """The prose of a page: paragraphs, items and headings, without code."""
    tree = HTMLTree.parse(page.read_text(encoding="utf-8"))
    for node in tree.document.query_selector_all("p, .para, li, h1, h2, h3, h4"):
        text = " ".join(node.text.split())
        if len(text) >= 20 and not node.query_selector("pre, p, .para, li"):
            yield text


def triples(text: str) -> list[tuple[str, ...]]:
    """Three words each."""
    words = [word.lower() for word in _find_words(text)]
    return list(zip(words, words[1:], words[2:], strict=False))


def samples(root: Path) -> Iterator[tuple[str, str]]:
    """The language of each page and its prose in that language."""
    pages = sorted((root / ENGLISH).glob("*.html"))
    english = {triple for page in pages for text in paragraphs(page) for triple in triples(text)}
    for page in sorted(root.glob("*/*.html")):
        language, texts = page.parent.name, dict.fromkeys(paragraphs(page))
        if language != ENGLISH:
            texts = dict.fromkeys(text for text in texts if _is_translated(text, english))
        yield language, "\n".join(texts)


def _is_translated(text: str, english: set[tuple[str, ...]]) -> bool:
    found = triples(text)
    if not found:
        return not text.isascii()
    return sum(triple in english for triple in found) < TRANSLATED * len(found)


def main() -> None:
    """Print for each length how many were right, what was mistaken for what, and the time."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("root", type=Path, help="folder with a folder per language")
    known = [each for each in samples(parser.parse_args().root) if len(each[1]) >= LEAST]
    for length in LENGTHS:
        begun = time.process_time()
        told = [language_of(text[:length]) for _, text in known]
        spent = (time.process_time() - begun) / len(known) * 1e6
        wanted = [SAME_LANGUAGE.get(name[:2], name[:2]) for name, _ in known]
        wrong = Counter(f"{w} as {t}" for w, t in zip(wanted, told, strict=True) if w != t)
        right = 1 - wrong.total() / len(known)
        print(
            f"{length:5} characters: {right:.2%} of {len(known)} right, {spent:.0f} µs each", end=""
        )
        print("".join(f"; {count} {pair}" for pair, count in wrong.most_common(4)))


if __name__ == "__main__":
    main()
