"""Which versions of a page are named, and for how long are they looked for?"""

from __future__ import annotations

from gossamer.core.crawl.url_record import PageRef, UrlRecord
from gossamer.core.revisit.change_rate import History, packed
from gossamer.entrypoints.api.views.earlier_copies import MOST, SECONDS, EarlierCopies
from gossamer.ports.pages import KeptResponse


class Archive:
    """Pages that were fetched at some times, with what they said then."""

    def __init__(self, **digests):
        self.kept = [
            KeptResponse(PageRef("f", int(at[1:]), 1), float(at[1:]), digest)
            for at, digest in digests.items()
        ]
        self.asked = 0

    def responses_to(self, url, is_late):
        self.asked += 1
        for kept in self.kept:
            if is_late():
                return
            yield kept


def earlier(archive, *clock):
    return EarlierCopies(archive, *clock)


def record(at, changes=1):
    history = packed(History(visits=9, changes=changes))
    page = PageRef("f", at, 1)
    return UrlRecord(id=b"i", url="u", host="h", fetched_at=float(at), page=page, history=history)


def test_each_version_is_named_once_by_its_first_day_newest_first():
    archive = Archive(t5="b", t1="a", t2="a", t3="b", t4="a", t6="c", t7="c")

    found = earlier(archive).of(record(6))

    assert list(found.refs) == [5, 4, 3, 1]
    assert found.is_complete


def test_what_was_found_is_remembered_until_the_page_changes():
    archive = Archive(t1="a", t2="b")
    copies = earlier(archive)

    for _ in range(3):
        assert list(copies.of(record(2)).refs) == [1]
    copies.of(record(3))

    assert archive.asked == 2


def test_it_is_said_when_there_was_no_time_for_all():
    ticks = iter([0.0, 0.1, SECONDS + 1, SECONDS + 1])
    archive = Archive(t1="a", t2="b", t3="c")

    found = earlier(archive, lambda: next(ticks)).of(record(9))

    assert (list(found.refs), found.is_complete) == ([1], False)


def test_a_page_that_never_changed_is_not_looked_for():
    archive = Archive(t1="a")

    assert earlier(archive).of(record(2, changes=0)) == ({}, True)
    assert archive.asked == 0


def test_of_very_many_versions_the_newest_are_named():
    archive = Archive(**{f"t{at}": str(at) for at in range(1, 100)})

    found = earlier(archive).of(record(1000))

    assert (len(found.refs), max(found.refs)) == (MOST, 99)
