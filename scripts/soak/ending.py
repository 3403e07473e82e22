"""Check that everything is consistent at the end of a soak."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gossamer import homes
from gossamer.batch.indexed_pages import IndexedPage, indexed_pages
from gossamer.core.crawl.url_state import END_STATES
from gossamer.core.revisit.change_rate import ABSENCES
from gossamer.ports.home import Home
from gossamer.settings import Settings
from scripts.bench.machine.processes import run
from scripts.soak.changing import ChangingSite
from scripts.soak.crawling import Crawl

AUDIT_LIMIT = 600.0  # seconds
MAX_LISTED = 20
# In these states a page is in the index exactly if it has a document.
LIVE_STATES = ("parsed", "unchanged")


@dataclass(frozen=True, slots=True)
class Ending:
    """What there is to say about the collection at the end."""

    resumed: dict[str, Any]  # the report of the crawl that was interrupted or killed last
    rounds: list[dict[str, Any]]  # those of the whole rounds after it
    audit_code: int | None
    violations: int | None
    unended: int  # URLs in no end state
    live: int
    documents: int  # of URLs that were parsed
    index_differs: list[str]  # URLs whose live version is not their document's
    site_differs: list[str]  # URLs that are found though they should not be, or the other way


def finish(program: Path, data: Path, crawl: Crawl, site: ChangingSite) -> Ending:
    """Crawl the site as it now stands, index it, and compare."""
    resumed, *rounds = last_rounds(crawl)
    crawl.complete("index")
    audit = run([program, "audit", "--data", data, "--json"], limit=AUDIT_LIMIT)
    settings = Settings(data=str(data))
    live, documents, index_differs = _compare_index(settings)
    return Ending(
        resumed=resumed,
        rounds=rounds,
        audit_code=audit.code,
        violations=json.loads(audit.output)["violations"] if audit.output else None,
        unended=sum(n for state, n in rounds[-1]["by_state"].items() if state not in END_STATES),
        live=live,
        documents=documents,
        index_differs=index_differs,
        site_differs=_compare_site(settings, site),
    )


def last_rounds(crawl: Crawl) -> list[dict[str, Any]]:
    """Finish the interrupted round, then crawl as often as a removal takes; returns the reports.

    The interrupted round visited some pages before the site stood still. If such a page vanished
    after that visit, only the whole rounds find it absent.
    """
    return [crawl.complete("crawl") for _ in range(1 + ABSENCES)]


def _live(home: Home) -> Iterator[IndexedPage]:
    """The pages that can be found."""
    indexed = indexed_pages(homes.index_writer(home))
    return indexed.look_up(indexed.live.tolist())


def _compare_index(settings: Settings) -> tuple[int, int, list[str]]:
    """Live versions, documents of parsed URLs, and where one is not the other."""
    with closing(homes.open_home(settings, read_only=True)) as home:
        live = {page.id: (page.url, page.fetched_at) for page in _live(home)}
        stored = {
            page.id: (document.url, page.fetched_at)
            for page in home.documents.all()
            for document in page.documents.values()
        }
        records = {id: home.urls.get(id) for id in live.keys() | stored.keys()}
    parsed = {
        id: stored[id]
        for id, record in records.items()
        if id in stored and record is not None and record.state in LIVE_STATES
    }
    differ = {url for id, (url, _) in (live | parsed).items() if live.get(id) != parsed.get(id)}
    return len(live), len(parsed), sorted(differ)[:MAX_LISTED]


def _compare_site(settings: Settings, site: ChangingSite) -> list[str]:
    with closing(homes.open_home(settings, read_only=True)) as home:
        live = {page.url for page in _live(home)}
        documents = [d for page in home.documents.all() for d in page.documents.values()]
        titles = {document.url: document.title for document in documents}
    # Which of two twins is the owner of their content is chance.
    found = {url.replace("/twin/1", "/twin/0"): titles.get(url, "") for url in live}
    truth = dict(site.truth())
    differ = [url for url in found.keys() | truth.keys() if found.get(url) != truth.get(url)]
    told = (f"{url}: {truth.get(url)!r}, found {found.get(url)!r}" for url in sorted(differ))
    return list(told)[:MAX_LISTED]
