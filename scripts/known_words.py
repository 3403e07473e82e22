"""Builds the filter of the words of a language from a list or a dictionary of Hunspell.

    python -m scripts.known_words en words-en.txt.gz
    python -m scripts.known_words fr index.dic

A list has `WORD` or `WORD COUNT` in each line; the affixes of a dictionary (.aff) lie beside it.
Neither is part of the repository. NOTICE.md beside the filters names the source and the licence of
each; one that is neither under a permissive licence nor under the MPL is not built in.
"""

import argparse
import gzip
import importlib.resources
from collections.abc import Iterator
from pathlib import Path

from gossamer.core.index.analyzer import Analyzer
from gossamer.search import spelling
from gossamer.search.spelling.known_words import FOLDER, build_filter, key_of_word
from scripts.hunspell_forms import read_forms


def main() -> None:
    """Write the filter."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("language", help="its code, such as en")
    parser.add_argument("list", type=Path, help="UTF-8 text, which may be gzipped, or a .dic file")
    settings = parser.parse_args()
    words = _keys_of_words(settings.list, settings.language)
    folder = Path(str(importlib.resources.files(spelling))) / FOLDER
    bits = build_filter(words)
    (folder / f"{settings.language}.bloom").write_bytes(bits)
    print(f"{len(words):,} words, {len(bits):,} bytes")


def _keys_of_words(file: Path, language: str) -> list[str]:
    """Return what the filter of a language has of the words of a file."""
    # Words with hyphens or numbers are never corrected.
    words = filter(str.isalpha, read_forms(file)) if file.suffix == ".dic" else _words(file)
    folded = set(map(Analyzer(language).fold, words))
    return sorted({key_of_word(word, language) for word in folded})


def _words(file: Path) -> Iterator[str]:
    opened = gzip.open if file.suffix == ".gz" else open
    with opened(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield from line.split()[:1]


if __name__ == "__main__":
    main()
