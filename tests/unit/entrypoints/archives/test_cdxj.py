"""Are responses sorted by the keys that replay looks for?"""

from __future__ import annotations

import json

import pytest

from gossamer.entrypoints.archives.cdxj import Captured, lines, surt


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://a.test", "test,a)/"),
        ("https://www.Example.org/A/b?Z=1&a=2", "org,example)/a/b?a=2&z=1"),
        ("http://a.test:80/x", "test,a)/x"),
        ("https://a.test:8443/x", "test,a:8443)/x"),
        ("https://a.test:80/", "test,a:80)/"),
        ("http://www2.a.test/", "test,a)/"),
        ("http://wwwa.test/", "test,wwwa)/"),
        ("http://192.0.2.7/x", "192.0.2.7)/x"),
    ],
)
def test_a_key_begins_with_the_domain(url, key):
    assert surt(url) == key


def captured(url, date="2026-01-01T10:20:30.250000Z", offset=0):
    return Captured(url, date, "text/html", 200, "sha1:A", offset, 10)


def test_lines_are_sorted_by_key_and_time():
    later, first = "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"
    times = [captured("http://a.test/", at) for at in (later, first)]
    given = [captured("http://b.test/"), *times]

    found = [line.decode().split(" ", 2) for line in lines(given, "x.warc.gz")]

    assert [(key, time) for key, time, _ in found] == [
        ("test,a)/", "20260101000000"),
        ("test,a)/", "20260102000000"),
        ("test,b)/", "20260101102030"),
    ]
    assert json.loads(found[0][2])["filename"] == "x.warc.gz"


def test_what_is_not_known_is_not_said():
    [line] = lines([captured("http://a.test/")._replace(mime="", digest="")], "x")

    assert set(json.loads(line.split(b" ", 2)[2])) == {
        "url", "status", "length", "offset", "filename"
    }  # fmt: skip
