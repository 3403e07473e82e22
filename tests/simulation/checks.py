"""When all is quiet: is everything as it must be?"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from gossamer.batch.compact import compact
from gossamer.batch.index import index_pending, unindexed, vanished
from gossamer.core.crawl.response_outcome import THROTTLE_CODES, is_ill
from gossamer.core.crawl.url_state import END_STATES
from gossamer.core.revisit.change_rate import ABSENCES, remembered
from gossamer.homes import index_writer
from tests.simulation.expected import COPY, DOCUMENT, GIVEN_UP, NO_DOCUMENT, expected
from tests.simulation.indexed import indexed
from tests.simulation.observer import ABSENT_CODES
from tests.simulation.web import words_of

if TYPE_CHECKING:
    from gossamer.core.crawl.url_record import UrlRecord
    from tests.simulation.expected import Expectation
    from tests.simulation.simulation import Simulation

STILL_A_COPY = ("duplicate", "not-modified")
SAME = {("unchanged", "same-bytes"), ("unchanged", "not-modified")}
LIMITS = {("excluded", "max-pages"), ("excluded", "max-documents"), ("excluded", "stopped")}


def check_all(run: Simulation, round_: int) -> None:
    """Every law that holds at a quiescent point."""
    everything = list(run.home.urls.all())
    records = {record.url: record for record in everything if record.purpose == "page"}
    hope = expected(run.world, round_)
    run.lives.check(everything)
    _check_sitemaps(run, [r for r in everything if r.purpose == "sitemap"], hope, round_)
    _check_ends(run, records, hope, round_)
    _check_requests(run, hope)
    _check_limits(run, records, hope, round_)
    _check_sums(run, everything)
    _check_letters(run)
    _check_index(run, records, round_)


def _is_limited(run: Simulation) -> bool:
    job = run.world.job
    return job.max_pages is not None or job.max_documents is not None or run.world.faults.stop


def _check_ends(
    run: Simulation, records: dict[str, UrlRecord], hope: Expectation, round_: int
) -> None:
    limited = _is_limited(run)
    cut_off = limited or any(map(_is_given_up, records.values()))
    for url, record in records.items():
        allowed = set(hope.ends.get(url, ())) | (LIMITS if limited else set())
        allowed |= _later(run, record, round_) if round_ > 1 else set()
        allowed |= {STILL_A_COPY} if round_ > 1 and COPY in allowed else set()
        _check_end(run, record, allowed, cut_off=cut_off)
    missing = set(hope.ends) - set(records)
    if missing and not cut_off and round_ == 1:
        run.observer.violate("explained", f"never met: {sorted(missing)}")
    if round_ == 1:  # later an owner may change after its copy was seen: the next round mends it
        _check_owners(run, records)


def _check_end(
    run: Simulation, record: UrlRecord, allowed: set[tuple[str, str]], *, cut_off: bool
) -> None:
    end = record.state.value, record.reason
    if record.state not in END_STATES:
        run.observer.violate("explained", f"{record.url} is left {end}")
    elif end not in allowed and not (cut_off and _by_way(end)):
        run.observer.violate("explained", f"{record.url} ended {end}, not {sorted(allowed)}")
    elif end == GIVEN_UP and not _was_ill(run, record.host):
        run.observer.violate("explained", f"{record.url}: {record.host} was not ill")


def _check_sitemaps(
    run: Simulation, records: list[UrlRecord], hope: Expectation, round_: int
) -> None:
    """Every sitemap was read, once in a round."""
    found = {record.url: (record.state.value, record.reason) for record in records}
    for url, end in found.items():
        given_up = end == GIVEN_UP or (_is_limited(run) and end in LIMITS)
        if end != hope.sitemaps.get(url) and not given_up:
            run.observer.violate("sitemaps", f"{url} ended {end}")
    missing = hope.sitemaps.keys() - found.keys()
    if missing and round_ == 1 and not _is_limited(run):
        run.observer.violate("sitemaps", f"never asked for: {sorted(missing)}")


def _by_way(end: tuple[str, str]) -> bool:
    """With a limit, or a host that was given up, the better way may never have been found."""
    return end[1] in ("nofollow", "too-deep", "too-many-redirects")


def _is_given_up(record: UrlRecord) -> bool:
    return (record.state.value, record.reason) == GIVEN_UP


def _later(run: Simulation, record: UrlRecord, round_: int) -> set[tuple[str, str]]:
    """In a later round what was never asked keeps its end, and what has not changed says so."""
    end = record.state.value, record.reason
    if not record.slot:
        return {end}
    page = run.web.pages.get(record.url)
    was_read = run.document_of.get(record.url, run.empty_of.get(record.url))
    if page is None:
        return set()
    told = run.world.job.again == "recrawl"
    ends: set[tuple[str, str]] = set()
    if told and page.hiccups and (was_read is None or _is_limited(run)):
        ends.add(("gone", "http-404"))  # it is not looked for again
    if was_read is not None and _says(run, record.url, was_read) == _says(run, record.url, round_):
        ends |= SAME
    if told and run.home.hosts.get(record.host).set_aside:  # no request is sent there
        earlier = [expected(run.world, number).ends for number in range(1, round_)]
        ends |= {end for known in earlier if end in known.get(record.url, ())}
    return ends | ({end} if told and _is_limited(run) else set())


def _says(run: Simulation, url: str, round_: int) -> tuple[str, ...]:
    return words_of(run.web.content(url), round_)


def _was_ill(run: Simulation, host: str) -> bool:
    record = run.home.hosts.get(host)
    return is_ill(record.requests, record.bad) or bool(record.set_aside)


def _check_owners(run: Simulation, records: dict[str, UrlRecord]) -> None:
    """Of equal contents one is a document, and its copies name it."""
    for record in records.values():
        if (record.state.value, record.reason) == COPY:
            owner = records.get(record.target)
            if owner is None or owner.md5 != record.md5:
                run.observer.violate("explained", f"{record.url} is no copy of {record.target}")


def _check_requests(run: Simulation, hope: Expectation) -> None:
    """Nothing was asked for that scope, nofollow, depth, traps or robots.txt keep us from."""
    for asked in run.observer.requests:
        if asked.message.purpose != "page":
            continue
        ends = hope.ends.get(asked.url)
        if ends is None:
            run.observer.violate("scope", f"{asked.url} was asked for and cannot be found")
        elif all(state == "excluded" and why not in _ANSWERED for state, why in ends - {GIVEN_UP}):
            run.observer.violate("scope", f"{asked.url} was asked for, which ends {sorted(ends)}")


_ANSWERED = {"noindex", "no-document", "content-type", "too-large"}


def _check_limits(
    run: Simulation, records: dict[str, UrlRecord], hope: Expectation, round_: int
) -> None:
    job = run.world.job
    if round_ > 1:
        return
    pages = sum(bool(record.md5) for record in records.values())
    ends = Counter((record.state.value, record.reason) for record in records.values())
    documents = ends[DOCUMENT]
    for name, limit, got in (
        ("pages", job.max_pages, pages),
        ("documents", job.max_documents, documents),
    ):
        if limit is not None and got > limit:
            run.observer.violate("limits", f"{got} {name}, where {limit} were allowed")
    if run.world.faults.stop or ends[GIVEN_UP]:
        return
    reached = [
        limit is not None and got == limit
        for limit, got in ((job.max_pages, pages), (job.max_documents, documents))
    ]
    whole = pages == hope.pages and documents == hope.documents
    if not whole and not any(reached):
        run.observer.violate(
            "limits",
            f"{pages} of {hope.pages} pages and {documents} of {hope.documents} documents, "
            f"limits {job.max_pages} and {job.max_documents}",
        )
    record = run.home.jobs.get("web")
    if record is not None and record.pages_left is not None and job.max_pages is not None:
        left = job.max_pages - pages
        if record.pages_left != left:
            run.observer.violate("limits", f"{record.pages_left} pages left, not {left}")


def _check_sums(run: Simulation, records: list[UrlRecord]) -> None:
    counted = Counter(record.state.value for record in records)
    told = Counter({state: n for state, n in run.stage.states().items() if n})
    if counted != told:
        run.observer.violate("sums", f"{dict(told)} is told, {dict(counted)} is there")


def _check_letters(run: Simulation) -> None:
    """Undecodable messages and nothing else; twice if a worker died before deleting it."""
    for letter in run.queues.letters:
        if letter.body not in run.poison:
            run.observer.violate("letters", f"{letter.body[:200]!r}: {letter.reason}")
    missing = run.injected - {letter.body for letter in run.queues.letters}
    if missing:
        run.observer.violate("letters", f"{missing} was undecodable and is no dead letter")


def count_passes(run: Simulation) -> Counter[str]:
    """Requests for pages and passes through FETCH, if nothing but chance could add to them."""
    faults = run.world.faults
    calm = not (faults.kills or faults.throttles or faults.duplicates or faults.stalls)
    calm = calm and not (faults.lateness or faults.pauses or faults.stop)
    pages = [a for a in run.observer.requests if a.message.purpose == "page"]
    # Who is told to come back later must give up the slots that were booked before.
    if not calm or any(a.response and a.response.code in THROTTLE_CODES for a in pages):
        return Counter()
    passes = sum(run.observer.passes[url] for url in {asked.url for asked in pages})
    return Counter(calm_requests=len(pages), calm_passes=passes)


# ── the index ───────────────────────────────────────────────────────────────────────────────────


def _check_index(run: Simulation, records: dict[str, UrlRecord], round_: int) -> None:
    """The index finds exactly what the live pages say, before and after compaction."""
    told = run.world.job.again == "recrawl"  # by messages; a person calls for it
    writer = index_writer(run.home, run.kernel)
    if run.stage.is_embedded and (round_ == 1 or told):
        left = [*unindexed(run.home, writer), *vanished(run.home, writer)]
        faults = run.world.faults  # of which some leave names to be indexed
        if left and not faults.rankings and not faults.late_indexings:
            run.observer.violate("index", f"{len(left)} documents were left out, or in")
    if round_ > 1 and not told:
        index_pending(run.home, writer)
    said = _said(run, records, round_)
    _compare(run, said, f"in round {round_}")
    if round_ == run.world.job.rounds:
        compact(writer, whole=True)
        _compare(run, said, f"in round {round_}, compacted")


def _said(run: Simulation, records: dict[str, UrlRecord], round_: int) -> dict[str, set[str]]:
    """By word, the URLs of live documents that said it when they were last read."""
    for url, record in records.items():
        if (record.state.value, record.reason) == DOCUMENT:
            run.document_of[url] = round_
            run.empty_of.pop(url, None)
        elif (record.state.value, record.reason) == NO_DOCUMENT:
            run.document_of.pop(url, None)
            run.empty_of[url] = round_
        elif (
            record.state.value in _NO_MORE
            or record.reason == "noindex"
            or (record.state.value == "gone" and _is_vanished(run, record))
        ):
            run.document_of.pop(url, None)
            run.empty_of.pop(url, None)
    said: dict[str, set[str]] = defaultdict(set)
    for url, read_in in run.document_of.items():
        for word in words_of(run.web.content(url), read_in):
            said[word].add(url)
    return said


# A page that failed in a later round, or was left out of it, is still what it was.
_NO_MORE = {"redirected", "duplicate"}


def _is_vanished(run: Simulation, record: UrlRecord) -> bool:
    """Whether a page was missing twice in a row. Once may be a mistake.

    If a fetcher received an answer and then died, it is unknown whether it was stored.
    """
    noted = perhaps = 0
    for asked in run.observer.requests:
        if asked.url != record.url or asked.response is None:
            continue
        if asked.response.code in ABSENT_CODES:
            noted += asked.is_done
            perhaps += not asked.is_done
        elif asked.is_done:
            noted = perhaps = 0
    if noted < ABSENCES <= noted + perhaps:
        return remembered(record.history).is_vanished
    return noted >= ABSENCES


def _compare(run: Simulation, said: dict[str, set[str]], when: str) -> None:
    found = indexed(run.home)
    urls = set(found.pages)
    wanted = set().union(*said.values()) if said else set()
    if urls != wanted:
        run.observer.violate(
            "index", f"{when}: too many {sorted(urls - wanted)}, too few {sorted(wanted - urls)}"
        )
        return
    for word in _asked_words(run, said):
        try:
            got = found.having(word)
        except IndexError:
            run.observer.violate("index", f"{when}: a list of {word!r} has unknown documents")
            return
        if got != said.get(word, set()):
            run.observer.violate(
                "index", f"{when}: {word!r} finds {sorted(got)}, not {sorted(said.get(word, ()))}"
            )
            return


def _asked_words(run: Simulation, said: dict[str, set[str]]) -> list[str]:
    """All that is said, and what older versions said."""
    old = [
        word
        for page in run.world.pages
        for version in (1, 2, 3)
        for word in words_of(page, version)[: None if page.items else 1]
    ]
    return [*said, *old]
