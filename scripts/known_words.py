"""Builds the filter of the words of a language from a list: `WORD` or `WORD COUNT` in each line.

    python -m scripts.known_words en words-en.txt.gz

The list itself is not part of the repository. NOTICE.md beside the filters names its source and its
licence; a list without a permissive licence is not built in.
"""

import argparse
import gzip
import importlib.resources
from collections.abc import Iterator
from pathlib import Path

from gossamer.core.index.analyzer import Analyzer
from gossamer.search import spelling
from gossamer.search.spelling.known_words import FOLDER, build_filter


def main() -> None:
    """Write the filter."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("language", help="its code, such as en")
    parser.add_argument("list", type=Path, help="text file in UTF-8, may be gzipped")
    settings = parser.parse_args()
    fold = Analyzer(settings.language).fold
    words = sorted({fold(word) for word in _words(settings.list)})
    folder = Path(str(importlib.resources.files(spelling))) / FOLDER
    bits = build_filter(words)
    (folder / f"{settings.language}.bloom").write_bytes(bits)
    print(f"{len(words):,} words, {len(bits):,} bytes")


def _words(file: Path) -> Iterator[str]:
    opened = gzip.open if file.suffix == ".gz" else open
    with opened(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield from line.split()[:1]


if __name__ == "__main__":
    main()
