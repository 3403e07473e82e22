"""A generated site whose pages link as those of the web do: sixty links, of which nine are new.

One of the nine is a page of the site, most others are addresses of it that the job excludes, and
the rest lead to other hosts. These shares are assumptions; no page of the web was counted.
"""

from random import Random

from scripts.bench.worlds.generated_sites import VOCABULARY

CHILDREN = 4  # pages that a page leads to as the first, until there are no more: one on average
ASIDE = "/aside/"  # what addresses contain that the job excludes
WORDS = 200


class LinkingSite:
    """So many pages, the same each time."""

    def __init__(
        self, host: str, pages: int, *, new: int = 9, known: int = 51, inside: float = 0.8
    ) -> None:
        """`new` and `known`: links of a page; `inside`: how many of these stay on the host."""
        self._host, self._pages = host, pages
        self._new, self._known, self._inside = new, known, inside

    def read(self, path: str) -> tuple[str, bytes] | None:
        """The page at a path, as a file."""
        name = path.removeprefix("/p").removesuffix(".html")
        number = 0 if path == "/" else int(name) if name.isdigit() else self._pages
        return ("page.html", self._page(number)) if number < self._pages else None

    def links(self, number: int) -> list[str]:
        """What a page links to: its children, addresses of its own, and what earlier pages have."""
        first = number * CHILDREN + 1
        found = [self._path(n) for n in range(first, min(first + CHILDREN, self._pages))]
        own = [self._aside(number, place) for place in range(self._new - 1)]
        chance = Random(f"{self._host} {number}")
        return found + own + [self._earlier(number, chance) for _ in range(self._known)]

    def _path(self, number: int) -> str:
        return f"/p{number}.html" if number else "/"

    def _earlier(self, number: int, chance: Random) -> str:
        """A page, or an address that an earlier page led to."""
        before = chance.randrange(number + 1)
        place = chance.randrange(self._new)
        return self._aside(before, place - 1) if place else self._path(before)

    def _aside(self, number: int, place: int) -> str:
        """An address that only one page leads to as the first."""
        chance = Random(f"{self._host} {number} {place}")
        words = "-".join(chance.choices(VOCABULARY, k=chance.randint(3, 7)))
        # The shares are kept on each page, so that small runs have them too.
        is_own = place < round(self._inside * self._new) - 1
        origin = "" if is_own else f"http://other{chance.randrange(2_000)}.test"
        return f"{origin}{ASIDE}{number % 12 + 1:02}/{words}-{number}.html"

    def _page(self, number: int) -> bytes:
        chance = Random(f"{self._host} {number} text")
        words = chance.choices(VOCABULARY, k=WORDS)
        anchors = "".join(
            f'<li><a href="{link}">{chance.choice(VOCABULARY)}</a></li>'
            for link in self.links(number)
        )
        title = f"{words[0]} {self._host} {number}"
        return (
            f'<!DOCTYPE html><html lang="en"><head><title>{title}</title></head>'
            f"<body><h1>{title}</h1><p>{' '.join(words)}</p><ul>{anchors}</ul></body></html>"
        ).encode()
