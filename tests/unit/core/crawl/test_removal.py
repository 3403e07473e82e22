from __future__ import annotations

import pytest

from gossamer.core.crawl.removal import is_no_document, leaves_index
from gossamer.core.crawl.url_record import UrlRecord
from gossamer.core.crawl.url_state import State
from gossamer.core.revisit.change_rate import History, packed
from gossamer.core.urls import sitemap_id, url_id

URL = "http://a.test/x"
DAY = 86_400.0
ONCE = History().visited(1.0, changed=False)
TWICE = ONCE.visited(DAY, changed=True)


def record(state, reason="", history=None, target="", purpose="page") -> UrlRecord:
    body = b"" if history is None else packed(history)
    id = sitemap_id(URL) if purpose == "sitemap" else url_id(URL)
    return UrlRecord(
        id=id, url=URL, host="a.test", state=state, reason=reason, history=body, target=target
    )


@pytest.mark.parametrize("state", [State.GONE, State.REDIRECTED, State.DUPLICATE])
def test_what_never_was_a_page_leaves_nothing(state):
    assert not leaves_index(record(state))


def test_a_page_leaves_with_its_second_absence_and_only_then():
    absences = [ONCE.absent(), ONCE.absent().absent(), ONCE.absent().absent().absent()]

    assert [leaves_index(record(State.GONE, history=h)) for h in absences] == [False, True, False]
    assert not leaves_index(record(State.GONE, history=absences[1], target="http://a.test/y"))


def test_a_page_leaves_with_its_first_redirect_and_again_after_it_came_back():
    moved = ONCE.redirected()
    back = moved.visited(DAY, changed=True)
    histories = [moved, moved.redirected(), back.redirected(), ONCE.absent().redirected()]

    left = [leaves_index(record(State.REDIRECTED, history=h)) for h in histories]

    assert left == [True, False, True, True]


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (State.DUPLICATE, "same-content"),
        (State.EXCLUDED, "noindex"),
        (State.EXCLUDED, "unavailable-after"),
        (State.EXCLUDED, "no-document"),
        (State.EXCLUDED, "template-empty"),
        (State.EXCLUDED, "file-without-text"),
    ],
)
def test_a_copy_or_a_page_without_documents_leaves_unless_it_is_its_first_visit(state, reason):
    assert not leaves_index(record(state, reason, ONCE))
    assert leaves_index(record(state, reason, TWICE))


@pytest.mark.parametrize("state", [State.PARSED, State.UNCHANGED, State.FAILED, State.FETCHED])
def test_a_page_that_is_there_or_fails_for_the_moment_stays(state):
    assert not leaves_index(record(state, "http-500", TWICE))
    assert not is_no_document(state, "http-500", packed(TWICE))


def test_a_sitemap_was_never_in_the_index():
    gone = record(State.GONE, history=ONCE.absent().absent(), purpose="sitemap")

    assert not leaves_index(gone)


def test_of_an_older_file_without_histories_one_absence_is_enough():
    assert is_no_document(State.GONE, "http-404", b"")
    assert not is_no_document(State.GONE, "http-404", packed(ONCE.absent()))
