"""Which website calls its pages by names that they do not have themselves?

A generated handbook of sixty pages. A third of them have their name in the title, the others open
with something else, as real pages do ("Welcome!", an image, a form). Pages that lead to a page
call it by its name, in the middle of their own text, which is why a search without anchors finds
the signposts instead of the place; some say only "click here".
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache

from gossamer.core.page.document import Document
from gossamer.messages import Link

PAGES, LINKS, NAMED_BY_THEMSELVES = 60, 6, 3
FIRST = (
    *("annual", "travel", "parental", "expense", "remote"),
    *("safety", "supplier", "quality", "customer", "budget"),
)
SECOND = ("leave", "policy", "report", "claims", "training", "review")
FILLER = (
    *("please", "see", "the", "details", "below", "and", "contact", "your", "team", "if"),
    *("something", "is", "missing", "forms", "are", "signed", "by", "both", "sides", "then"),
    *("sent", "to", "an", "office", "in", "time", "every", "quarter", "we", "keep", "them"),
)
VAGUE = ("click here", "more", "this page")


@dataclass
class Handbook:
    """The pages, and where they lead."""

    documents: dict[str, Document] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)  # what is asked, by the page that is meant
    links: dict[str, list[Link]] = field(default_factory=dict)  # by the page that they are on

    @property
    def anchors(self) -> dict[str, list[str]]:
        """What each page is called by those that lead to it."""
        called = defaultdict[str, list[str]](list)
        for links in self.links.values():
            for link in links:
                called[link.url].append(link.anchor)
        return called


@cache
def handbook() -> Handbook:
    """The same one each time."""
    source = random.Random(6)
    site = Handbook()
    names = [f"{a} {b}" for a in FIRST for b in SECOND]
    urls = [f"http://handbook.test/{number}" for number in range(PAGES)]
    site.names = dict(zip(urls, names, strict=True))
    for number, url in enumerate(urls):
        words = source.choices(FILLER, k=source.randint(40, 120))
        others = [urls[(number + 1) % PAGES], *source.sample(urls, LINKS)]
        site.links[url] = []
        for target in dict.fromkeys(other for other in others if other != url):
            anchor = source.choice(VAGUE) if source.random() < 0.2 else site.names[target]
            site.links[url].append(Link(target, anchor))
            words.insert(source.randrange(len(words)), anchor)
        names_itself = number % NAMED_BY_THEMSELVES == 0
        title = site.names[url] if names_itself else source.choice(("Welcome", "Overview", ""))
        site.documents[url] = Document(url=url, title=title, text=" ".join(words))
    return site
