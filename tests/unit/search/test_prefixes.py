"""Are the words that begin alike read together, and only once?"""

from __future__ import annotations

import pytest

from gossamer import homes
from gossamer.adapters.local.home import LocalHome
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from tests.indexing import index_home

PAGES = 300  # more than a word has that is kept in its block
WORDS = 40  # that every page has
ROUNDS = 3  # blocks, lists and positions


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Pages with many words in s; each has one of its own, half of them in the title."""
    opened = LocalHome(None, tmp_path_factory.mktemp("home"), homes.decode_body)
    often = " ".join(f"so{number:02}" for number in range(WORDS))
    for number in range(PAGES):
        url, own = f"http://a.test/{number}", f"sole{number:03}"
        title = f"{own} {often}" if number % 2 else "other"
        document = Document(url=url, title=title, text=f"{own} {often}")
        opened.documents.put(url_id(url), [document], 1.0)
    index_home(opened)
    yield opened
    opened.close()


@pytest.fixture
def searcher(home):
    return homes.searcher(home)


def reads(searcher, query):
    """How often the index is read for a query, without what is stored of its results."""
    [part] = searcher.snapshot().parts
    fetch, asked = part.view.segment.fetch, []

    def counting(ranges):
        asked.append(len(ranges))
        return fetch(ranges)

    part.view.segment.fetch = counting
    found = searcher.search(query)
    part.view.segment.fetch = fetch
    return found.total, len([ranges for ranges in asked if ranges])


@pytest.mark.parametrize(
    ("query", "total"), [("so*", PAGES), ("title:so*", PAGES // 2), ("title:sole*", PAGES // 2)]
)
def test_however_many_words_begin_so_the_index_is_read_a_few_times(searcher, query, total):
    found, times = reads(searcher, query)

    assert found == total
    assert times <= 2 * ROUNDS  # for those that match, and to weigh the beginning


def test_a_prefix_that_was_asked_for_before_is_not_read_again(searcher):
    query = "so* | title:so* | sole*"
    before, _ = reads(searcher, query)

    assert reads(searcher, query) == (before, 0)


def test_a_wide_prefix_leaves_in_memory_what_was_there(searcher):
    """Its lists take more memory than the documents that it finds."""
    memory = searcher._snapshots._memory
    searcher.search("sole001")
    before = set(memory)

    searcher.search("so*")

    new = {key[1:] for key in set(memory) - before if key[1] != "stored"}
    assert new == {("prefix", "so")}


def test_few_documents_are_kept_as_numbers_and_many_as_bits(searcher):
    searcher.search("sole001*")
    searcher.search("so*")

    memory = searcher._snapshots._memory
    kept = {key[2]: memory.get(key) for key in list(memory) if key[1] == "prefix"}
    assert kept["sole001"].nbytes == 8
    assert kept["so"].nbytes == -(-PAGES // 8)
