"""The queries that cost most: what reads every list, every position, every address, every text."""

from itertools import pairwise
from string import ascii_lowercase
from urllib.parse import urlencode

LETTERS = " | ".join(f"{letter}*" for letter in ascii_lowercase)
# Each of them is in many documents of any corpus in English that is about programs.
WORDS = str.split(
    "about access all also any argument array available been before between call can case change"
    " class code command copy create data default different directory do each error example file"
    " first following form function give have if information into issue it know line list make"
    " method more most name need new not number object one only open option order other output"
)
PHRASES = " | ".join(f'"{one} {other}"' for one, other in pairwise(WORDS[:32]))
COUNTED = "site,domain,lang,kind,template,date"


def _search(q: str, **how: str) -> str:
    return f"/search?{urlencode({'q': q, **how})}"


def worst(number: int) -> dict[str, str]:
    """Eight requests by name; those of another number are others, and cost as much."""
    own = f"zz{number}"  # is in no document, and makes it a query that was not asked before
    letters = f"{LETTERS} | {own}"
    titles = [f"title:{letter}*" for letter in ascii_lowercase]
    excluded = [f"!{letter}*" for letter in ascii_lowercase]
    addresses = [f"url:{letter}" for letter in ascii_lowercase]
    return {
        "explained": _search(letters, explain="true", limit="100", similar="all"),
        "in titles": _search(" | ".join([*titles, own])),
        "excluded": _search(" | ".join([*excluded, own]), limit="100"),
        "counted": _search(letters, facets=COUNTED, sort="-date", exact_total="true", limit="100"),
        "far behind": _search(f"s* | {own}", page="100", limit="100", sort="-rank"),
        "addresses": _search(" | ".join([*addresses, own]), limit="100"),
        "phrases": _search(f"{PHRASES} | {own}", limit="100", explain="true"),
        "many words": _search(" ".join([*WORDS, own]), limit="100", explain="true", similar="all"),
    }
