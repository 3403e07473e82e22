"""Stored pages of a template, with what it found on them before they changed: from the WARC.

Documents may have been overwritten by empty ones since. The archive has every visit, so the
template is applied to earlier ones, and of each page the visit counts on which it found most.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.errors import ConfigurationError, CorruptRecord
from gossamer.core.page.charset import decode
from gossamer.core.page.templates.healing.known import Found, KnownPage, read_with
from gossamer.core.page.templates.matching import template_for
from gossamer.core.revisit.change_rate import remembered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gossamer.core.crawl.url_record import PageRef, UrlRecord
    from gossamer.core.page.templates.template import Template
    from gossamer.ports.home import Home

    _Find = Callable[[str, str], Found]

MAX_URLS: Final = 400  # pages of a template whose earlier visits are looked for
MAX_PAGES: Final = 100  # that are known
MAX_VISITS: Final = 2_000  # that are read


class _Visit(NamedTuple):
    """An earlier visit, and what the template found then."""

    fetched_at: float
    found: Found

    @property
    def worth(self) -> tuple[int, float]:
        """Of two visits the better is the one with more values, then the later one."""
        return self.found.filled, self.fetched_at


def known_pages(
    home: Home,
    template: Template,
    templates: Sequence[Template],
    show: Callable[[str], None],
    read: Callable[[Template, str, str], Found] = read_with,
) -> list[KnownPage]:
    """The pages of a template on which it finds something, or found it on an earlier visit.

    `read` says what a template finds on a page of a URL.
    """
    find = partial(read, template)
    newest = {
        record.url: record for record in islice(_pages_of(home, template, templates), MAX_URLS)
    }
    best: dict[str, _Visit] = {}
    for number, (url, visit) in enumerate(_visits(home, find, newest), 1):
        show(f"{number:,} earlier visits read")
        if visit.found.filled and (url not in best or visit.worth > best[url].worth):
            best[url] = visit
    urls = sorted(newest, key=lambda url: (url not in best, url))
    known = (_known(home, newest[url], best.get(url), find) for url in urls)
    return list(islice((page for page in known if page is not None), MAX_PAGES))


def _pages_of(home: Home, template: Template, templates: Sequence[Template]) -> Iterator[UrlRecord]:
    """Those that have changed: others have no other visits."""
    for record in home.urls.all():
        is_page = record.purpose == "page" and record.page is not None and not record.target
        if is_page and remembered(record.history).changes:
            match = template_for(record.url, templates)
            if match is not None and match.name == template.name:
                yield record


def _visits(home: Home, find: _Find, newest: dict[str, UrlRecord]) -> Iterator[tuple[str, _Visit]]:
    """What the template found on earlier visits, those of newer files first."""
    if not newest:
        return
    read = 0
    for kept in home.pages.responses_among(newest.__contains__):
        record = newest[kept.url]
        if kept.ref == record.page or kept.fetched_at >= record.fetched_at:
            continue
        found = _read(home, kept.url, kept.ref, find)
        if found is not None:
            yield kept.url, _Visit(kept.fetched_at, found[1])
            read += 1
        if read >= MAX_VISITS:
            return


def _known(home: Home, record: UrlRecord, visit: _Visit | None, find: _Find) -> KnownPage | None:
    """A page as it is now with what is known of it: of now, if that is more than before."""
    if record.page is None or (now := _read(home, record.url, record.page, find)) is None:
        return None
    html, found = now
    if visit is not None and visit.found.filled >= found.filled:
        found = visit.found
    return KnownPage(record.url, html, found.records, found.next_links) if found.filled else None


def _read(home: Home, url: str, ref: PageRef, find: _Find) -> tuple[str, Found] | None:
    """A stored page and what the template finds on it; None if it cannot be read."""
    try:
        stored = home.pages.read(ref)
        said = (value for name, value in stored.headers if name.lower() == "content-type")
        html = decode(stored.body, next(said, ""))
        return html, find(html, url)
    except (CorruptRecord, ConfigurationError):
        return None
