"""Is what changed between two versions of a page shown, and bounded?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.entrypoints.api.endpoints import documents
from gossamer.entrypoints.api.views.page_changes import MAX_LINES, hunks, to_changes
from gossamer.entrypoints.api.views.stored_copy import NotShown, PageCopy, Versions, to_html
from gossamer.ports.pages import StoredPage
from tests.fake_search import fake_id
from tests.unit.entrypoints.api.asking import ask

HTML = (("Content-Type", "text/html; charset=utf-8"),)


def copy(body, at="2026-08-21T10:00:00+00:00", headers=HTML):
    page = StoredPage(url="http://a.test/", code=200, headers=headers, body=body.encode())
    return PageCopy(page, at)


def page(*lines):
    return "<title>Silk</title><main>" + "".join(f"<p>{line}</p>" for line in lines) + "</main>"


def changes(before, after):
    shown = to_changes(copy(before, "2026-01-02T03:04:05+00:00"), copy(after))
    return re.findall(r"<p>(<(?:ins|del)>.*?)</(?:ins|del)></p>", shown)


def test_what_went_and_what_came_is_shown():
    before = page("one thread", "two threads", "three threads")
    after = page("one thread", "2 threads", "three threads", "four threads")

    assert changes(before, after) == [
        "<del>- two threads",
        "<ins>+ 2 threads",
        "<ins>+ four threads",
    ]


def test_both_dates_are_named_and_equal_texts_are_called_so():
    shown = to_changes(copy(page("silk"), "2026-01-02T03:04:05+00:00"), copy(page("silk")))

    assert "2026-01-02 03:04 UTC" in shown
    assert "2026-08-21 10:00 UTC" in shown
    assert "The text is the same." in shown


def test_plain_texts_are_compared_line_by_line():
    plain = (("Content-Type", "text/plain"),)

    shown = to_changes(copy("a\nb\n", headers=plain), copy("a\nc\n", headers=plain))

    assert "<del>- b</del>" in shown
    assert "<ins>+ c</ins>" in shown


def test_text_stays_text():
    shown = changes(page("old"), page("&lt;script&gt;alert(1)&lt;/script&gt;"))

    assert "<ins>+ &lt;script&gt;alert(1)&lt;/script&gt;" in shown


def test_what_may_not_be_shown_is_not_compared():
    kept_back = '<meta name="robots" content="noarchive">' + page("secret")

    for pair in ((copy(kept_back), copy(page("a"))), (copy(page("a")), copy(kept_back))):
        with pytest.raises(NotShown, match="noarchive"):
            to_changes(*pair)


def test_of_a_large_difference_only_the_beginning_is_compared():
    before = page(*(f"old {number}" for number in range(3 * MAX_LINES)))
    after = page(*(f"new {number}" for number in range(3 * MAX_LINES)))

    shown = to_changes(copy(before), copy(after))

    assert shown.count("<del>") < MAX_LINES
    assert "More than 1,000 lines" in shown


def test_far_from_the_beginning_a_small_change_is_found():
    lines = [f"line {number}" for number in range(3 * MAX_LINES)]

    assert changes(page(*lines), page(*lines[:-1], "the end")) == [
        f"<del>- line {3 * MAX_LINES - 1}",
        "<ins>+ the end",
    ]


class CountedLine(str):
    """A line that counts how often it is looked at."""

    __slots__ = ()
    looks = 0

    def __hash__(self):
        CountedLine.looks += 1
        return super().__hash__()

    def __eq__(self, other):
        CountedLine.looks += 1
        return super().__eq__(other)


def test_equal_lines_of_which_every_second_changed_are_looked_at_a_few_times_each():
    lines = 300
    before = [CountedLine("same")] * lines
    after = [CountedLine("same" if n % 2 else f"new {n}") for n in range(lines)]
    CountedLine.looks = 0

    changed = [change for hunk in hunks(before, after) for change in hunk]

    assert CountedLine.looks <= 10 * lines
    assert sum(change.new_end - change.new_start for change in changed) == lines // 2


@given(*[st.lists(st.sampled_from("abc"), max_size=12)] * 2)
def test_changes_make_the_new_text_of_the_old_one_and_are_the_fewest(before, after):
    made, at, edits = [], 0, 0
    for hunk in hunks(before, after):
        for start, end, new_start, new_end in hunk:
            made += before[at:start] + after[new_start:new_end]
            at, edits = end, edits + (end - start) + (new_end - new_start)
    made += before[at:]

    assert made == after
    assert edits == len(before) + len(after) - 2 * common(before, after)


def common(one, other):
    """The length of the longest common subsequence, by the textbook."""
    above = [0] * (len(other) + 1)
    for a in one:
        row = [0]
        for n, b in enumerate(other):
            row.append(above[n] + 1 if a == b else max(row[n], above[n + 1]))
        above = row
    return above[-1]


def test_a_copy_names_the_earlier_versions():
    shown = to_html(copy(page("silk")), Versions((86_400, 100), is_complete=False))

    assert '<a href="?at=86400">1970-01-02 00:00</a>' in shown
    assert '(<a href="?since=100">what changed</a>)' in shown
    assert "There may be more" in shown
    assert "Earlier versions" not in to_html(copy(page("silk")))


def test_an_earlier_version_leads_to_those_before_it_and_to_the_newest():
    shown = to_html(copy(page("silk")), Versions((300, 200, 100), shown=200))

    assert '<a href="cached">Newest copy</a>' in shown
    assert '<a href="?at=100">' in shown
    assert '<a href="?at=200&amp;since=100">what changed</a>' in shown
    assert "?at=300" not in shown


class TestTheEndpoint:
    def test_a_version_and_its_changes_are_asked_for_by_their_time(self, fake):
        fake.earlier = {100: copy(page("an old text"))}

        older = ask(documents.cached, args={"id": fake_id(1)}, at="100")
        compared = ask(documents.cached, args={"id": fake_id(1)}, since="100")

        assert "an old text" in older.body
        assert "<del>- an old text</del>" in compared.body
        assert (older.status, compared.status) == (200, 200)
        assert "sandbox" in compared.headers["Content-Security-Policy"]

    @pytest.mark.parametrize("how", [{"at": "101"}, {"since": "101"}])
    def test_a_time_without_a_version_is_answered_by_a_page(self, fake, how):
        made = ask(documents.cached, args={"id": fake_id(1)}, **how)

        assert made.status == 404
        assert "no version that was fetched then" in made.body

    @pytest.mark.parametrize("how", [{"at": "x"}, {"since": "0"}, {"to": "5"}])
    def test_what_is_no_time_is_refused(self, fake, how):
        assert ask(documents.cached, args={"id": fake_id(1)}, **how).status == 400
