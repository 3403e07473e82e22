"""Are recordings of entries documents of what the entries say of them, and only if asked for?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.feeds.enclosures import media_of
from gossamer.core.page.feeds.entry import Entry
from gossamer.core.page.feeds.reading import documents_of
from gossamer.core.page.values import Link

BASE = "http://a.test/feed"


def episode(*enclosures, link="/1", title="Episode <i>1</i>", summary="We talk of looms."):
    return Entry(BASE, link, title, summary=summary, date="2026-07-01", enclosures=[*enclosures])


def test_a_recording_has_the_words_of_its_entry():
    [found] = media_of(episode(("http://cdn.test/on-looms_1.mp3", "audio/mpeg")), "en-gb")

    assert (found.url, found.key) == ("http://a.test/1", "http://cdn.test/on-looms_1.mp3")
    assert (found.kind, found.title, found.language) == ("audio", "Episode 1", "en")
    assert found.text == "Episode 1\nWe talk of looms.\nlooms"
    assert found.date == "2026-07-01T00:00:00Z"
    assert found.values == {"audio": Link(found.key, "Episode 1")}


@pytest.mark.parametrize(
    ("url", "media_type", "kind"),
    [
        ("/a", "video/mp4", "video"),
        ("/a.mp3", "image/png", "image"),
        ("/a.webm?x=1", "", "video"),
        ("/a.ogg", "application/octet-stream", "audio"),
        ("/a.pdf", "application/pdf", ""),
        ("/a", "", ""),
        ("ftp://a.test/a.mp3", "audio/mpeg", ""),
    ],
)
def test_its_kind_is_what_the_feed_says_or_its_name(url, media_type, kind):
    assert [each.kind for each in media_of(episode((url, media_type)))] == [kind] * bool(kind)


def test_without_words_there_is_no_document():
    assert media_of(episode(("/a.mp3", ""), title="", summary="<br>")) == []


def test_without_a_page_it_is_known_by_itself():
    [found] = media_of(episode(("/a.mp3", ""), link=""))

    assert found.url == found.key == "http://a.test/a.mp3"


def test_only_who_asks_gets_them_beside_their_entry():
    entries = [episode(("/a.mp3", "")), episode(("/b.mp3", ""))]

    assert [each.kind for each in documents_of(entries, "en")] == ["entry"]
    assert [each.key for each in documents_of(entries, "en", media=True)] == [
        "",
        "http://a.test/a.mp3",
    ]


@given(st.text(max_size=50), st.text(max_size=50), st.text(max_size=20))
def test_no_enclosure_raises(url, title, media_type):
    media_of(episode((url, media_type), title=title))
