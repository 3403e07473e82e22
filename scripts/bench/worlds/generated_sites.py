"""Generated sites of any size, the same bytes each time."""

import os
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from random import Random

CHILDREN = 10  # links to new pages, breadth first, so that every page is reachable
LINKS = 20  # links of a page in all; the others lead to random pages
WORDS_PER_PAGE = 200
PAGES_PER_FOLDER = 1000
VOCABULARY = ["".join(parts) for parts in product("bdfgklmnprstvz", "aeiou", "lmnrst", "aeiou")]

PAGE = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body><h1>{title}</h1>
<p>{text}</p>
<ul>
{links}
</ul></body></html>
"""


def write_linked(folder: Path, pages: int) -> Path:
    """A site of pages with twenty links each; written once."""
    done = folder / ".complete"
    if not done.exists():
        for number in range(pages):
            file = folder / _path(number).lstrip("/")
            if number % PAGES_PER_FOLDER <= 1:
                file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_page(f"{folder.name}/{number}", linked(number, pages)))
        os.sync()  # or the first crawl would compete with writing 100,000 files
        done.touch()
    return folder


def write_star(folder: Path, pages: int, *, robots: str) -> Path:
    """A site whose first page links to all others, so that only crawl delays take time."""
    folder.mkdir(parents=True)
    (folder / "robots.txt").write_text(robots)
    everywhere = range(pages)
    for number in everywhere:
        name = f"p{number}.html" if number else "index.html"
        links = [f"/p{other}.html" for other in everywhere if other] if not number else ["/"]
        (folder / name).write_text(_page(f"{folder.name}/{number}", links))
    return folder


def linked(number: int, pages: int) -> list[str]:
    """The links of page `number`."""
    first = number * CHILDREN + 1
    numbers = list(range(first, min(first + CHILDREN, pages)))
    chance = Random(number)
    numbers += [chance.randrange(pages) for _ in range(LINKS - len(numbers))]
    return [_path(other).removesuffix("index.html") for other in numbers]


def _path(number: int) -> str:
    if number == 0:
        return "/index.html"
    return f"/s{number // PAGES_PER_FOLDER}/p{number}.html"


def _page(seed: str, links: Sequence[str]) -> str:
    chance = Random(seed)
    words = chance.choices(VOCABULARY, k=WORDS_PER_PAGE)
    items = (f'<li><a href="{link}">{chance.choice(VOCABULARY)}</a></li>' for link in links)
    return PAGE.format(title=f"{words[0]} {seed}", text=" ".join(words), links="\n".join(items))
