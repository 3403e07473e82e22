"""What may a query read where reads are billed, and is it said what that leaves out?"""

from __future__ import annotations

import math
from urllib.parse import parse_qs, urlsplit

import pytest

from gossamer import homes
from gossamer.adapters.aws.index import files
from gossamer.core.collection import CollectionSettings
from gossamer.core.errors import OverBudget
from gossamer.core.ids import UrlId, document_id
from gossamer.core.index.analyzer import Analyzer
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.entrypoints.api import services
from gossamer.entrypoints.api.answers import Request
from gossamer.entrypoints.api.backend import Backend
from gossamer.entrypoints.api.endpoints.search import search
from gossamer.entrypoints.api.services import HomeSearch, stack_search
from gossamer.ports.documents import Version
from gossamer.search import small_files
from gossamer.search.budget import NOT_SEARCHED, NOT_SPELLED, Budget
from gossamer.search.groups import group
from gossamer.search.groups.group import Group
from gossamer.search.groups.groups import Groups
from gossamer.search.searcher import Searcher
from scripts.bench.worlds.worst_queries import WORDS, worst
from tests.aws_backend import MotoBackend
from tests.groups import Function
from tests.indexing import index_all, writer_of
from tests.unit.core.index.segments.making import use_small_parts

SEGMENTS, DOCUMENTS = 6, 40


class Store:
    reads = 0.0


def test_a_budget_of_reads_is_over_when_they_are_made():
    store = Store()
    budget = Budget(most_reads=10.0, reads=lambda: store.reads)
    budget.check()

    store.reads = 10.0

    with pytest.raises(OverBudget, match="more than 10 reads"):
        budget.check()
    budget.leave_out(NOT_SEARCHED)
    assert budget.notes()[0].startswith("stopped after 10 reads: a part of the pages")


def test_what_was_read_before_does_not_count():
    store = Store()
    store.reads = 1000.0

    assert Budget(most_reads=10.0, reads=lambda: store.reads).reads_left == 10.0


def test_reads_for_showing_results_are_kept_back():
    store = Store()
    budget = Budget(most_reads=100.0, reads=lambda: store.reads)
    budget.keep_back(20)

    store.reads = 69.0
    assert not budget.is_over
    store.reads = 70.0
    assert budget.is_over
    assert budget.reads_left == 30.0


@pytest.fixture(scope="module")
def home():
    """Segments of which nothing is held in memory and no two reads are joined: all are far."""
    patch = pytest.MonkeyPatch()
    use_small_parts(patch)
    patch.setattr(small_files, "SMALL", 0)
    patch.setattr(small_files, "MOST_LISTS", 0)
    patch.setattr(files, "GAP", 0)
    patch.setattr(files, "CACHE", 0)
    backend = MotoBackend({})
    opened = backend.open()
    for first in range(0, SEGMENTS * DOCUMENTS, DOCUMENTS):
        index_all(writer_of(opened.index), [version(n) for n in range(first, first + DOCUMENTS)])
    yield opened
    backend.close()
    patch.undo()


def version(number: int) -> Version:
    url = f"http://{chr(97 + number % 26)}.test/{number}"
    text = " ".join(WORDS[(number + n * (number % 7 + 1)) % len(WORDS)] for n in range(60))
    words = " ".join(f"{chr(97 + (number + n) % 26)}{number}x{n}" for n in range(40))
    page = UrlId(url_id(url))
    document = Document(url=url, title=f"{WORDS[number % len(WORDS)]} page", text=f"{text} {words}")
    return Version(document_id(page), 1.0, document)


def billed(home) -> float:
    totals = home.meter.totals()
    return float(totals["s3get"] + totals["rru"])


@pytest.mark.parametrize("name", worst(0))
def test_none_of_the_worst_queries_costs_more_than_100_reads(home, name, monkeypatch):
    # On a busy machine a query takes so long that these are read again.
    monkeypatch.setattr(services, "MANIFEST_AGE", math.inf)
    monkeypatch.setattr(services, "SETTINGS_AGE", math.inf)
    service = stack_search(home)
    service.search("warm")  # the segments are opened
    before = billed(home)

    search(Backend(lambda: service), Request(query=parse_qs(urlsplit(worst(7)[name]).query)))

    assert billed(home) - before <= services.MOST_READS


def test_a_query_that_may_read_all_finds_more_and_is_not_partial(home):
    query = " | ".join(f"{letter}*" for letter in "abcdefgh")
    limited = HomeSearch(home, lambda _: None, reads=20.0).search(query, fill=False)  # type: ignore[arg-type,return-value]
    whole = HomeSearch(home, lambda _: None, reads=math.inf).search(query, fill=False)  # type: ignore[arg-type,return-value]

    assert limited.partial
    assert "stopped after 20 reads" in limited.notes[-1]
    assert not whole.partial
    assert whole.total == SEGMENTS * DOCUMENTS > limited.total


@pytest.fixture
def asked(home, monkeypatch) -> tuple[Searcher, Function]:
    """A searcher whose segments are a group each, and what it asks."""
    monkeypatch.setattr(group, "MOST_GROUPS", SEGMENTS)  # opening them again counts for no query
    given = home.index, home.documents, Analyzer(), CollectionSettings()
    function = Function(Group(*given))
    groups = Groups(function, most=DOCUMENTS)
    return Searcher(*given, lambda: 0.0, math.inf, groups=groups), function


@pytest.mark.parametrize("name", worst(0))
def test_a_group_of_segments_takes_no_more_reads_than_a_query_has(home, asked, name):
    searcher, function = asked
    query = parse_qs(urlsplit(worst(7)[name]).query)["q"][0]
    searcher.search("warm")  # the segments are opened
    before, turns = billed(home), len(function.asked)

    searcher.search(query, Budget(most_reads=services.MOST_READS))

    groups = len(function.asked[turns])
    assert groups == SEGMENTS
    assert billed(home) - before <= groups * services.MOST_READS


def test_a_group_without_reads_leaves_out_and_says_so(home, asked):
    searcher, function = asked
    query = " | ".join(f"{letter}*" for letter in "abcdefgh")
    limited = searcher.search(query, Budget(most_reads=10.0))
    told = [question.reads for turn in function.asked for question in turn]

    assert limited.partial
    assert "stopped after 10 reads" in limited.notes[-1]
    assert told[:SEGMENTS] == [10.0] * SEGMENTS
    assert all(0.0 <= reads < 10.0 for reads in told[SEGMENTS:])  # what the turn before left
    assert searcher.search(query, fill=False).total == SEGMENTS * DOCUMENTS > limited.total


# Words that are spelt like others, among those that are found: they are looked up together, and the
# corrected query is asked too.
MISSPELT = " ".join(["acess", "argumant", "commend", "defualt", *WORDS[20:36]])
TILDES = " | ".join(f"{word[:-1]}x~" for word in WORDS if len(word) > 4)


@pytest.mark.parametrize("query", [MISSPELT, TILDES], ids=["misspelt", "tildes"])
@pytest.mark.parametrize("reads", [services.MOST_READS, 60.0, 20.0])
def test_other_spellings_take_of_the_reads_that_a_query_has(home, asked, query, reads):
    searcher, function = asked
    for each in (homes.searcher(home, math.inf), searcher):
        each.search("warm")  # the segments are opened
        before, turns = billed(home), len(function.asked)

        found = each.search(query, Budget(most_reads=reads, reads=lambda: made(home)))

        groups = max(map(len, function.asked[turns:]), default=1)
        assert billed(home) - before <= groups * reads
        assert reads > 20.0 or found.partial


def test_groups_have_one_budget_for_a_query_and_its_correction(home, asked):
    searcher, function = asked
    searcher.search("warm")
    turns = len(function.asked)

    searcher.search(MISSPELT, Budget(most_reads=services.MOST_READS))

    told = [turn[0].reads for turn in function.asked[turns:]]
    kinds = [type(turn[0]).__name__ for turn in function.asked[turns:]]
    assert kinds[:2] == ["Count", "Rank"]
    assert "Near" in kinds
    assert told == sorted(told, reverse=True)
    assert told[-1] < told[0] == services.MOST_READS


def test_a_group_without_reads_looks_for_no_spellings_and_says_so(home, asked):
    searcher, _ = asked

    found = searcher.search("defualt~", Budget(most_reads=1.0))

    assert found.partial
    assert NOT_SPELLED in found.notes[-1]


@pytest.mark.parametrize("reads", [services.MOST_READS, 3.0, 0.0])
def test_suggestions_take_no_more_reads_than_they_may(home, asked, reads):
    searcher, _ = asked
    searcher.search("warm")
    alone = homes.searcher(home, math.inf)
    alone.search("warm")
    before = billed(home)

    one = alone.suggest("a", 10, Budget(most_reads=reads, reads=lambda: made(home)))
    between = billed(home)
    together = searcher.suggest("a", 10, Budget(most_reads=reads))

    assert between - before <= reads
    assert billed(home) - between <= SEGMENTS * reads
    assert one.partial == (reads < SEGMENTS)
    assert together.partial == (reads < 1)


def made(home) -> float:
    return float(home.index.reads + home.documents.reads)
