import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.charsets.declared import codec_in, declared_codec, late_codec

META = b"<meta charset=koi8-r>"


@pytest.mark.parametrize(
    "start",
    [
        META,
        b"<!doctype html><html><head><meta name=a content='x>y'><META CHARSET = 'KOI8-R' />",
        b"<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>",
        b"<title>charset</title><script>var a = 1 < 2;</script>" + META,
        b"<!--><p>" + META,
        b"<meta charset=bogus>" + META,
        b'<?xml version="1.0" encoding="koi8-r"?><html>',
        b"<head profile='<script>'>" + META,
    ],
)
def test_a_page_declares_its_encoding_in_its_head(start):
    assert declared_codec(start) == "koi8-r"


@pytest.mark.parametrize(
    "start",
    [
        b"<!-- " + META + b" -->",
        b"<!-- never ended " + META,
        b"<script>document.write('" + META + b"')</script>",
        b"<style>" + META + b"</style>",
        b"<title>" + META + b"</title>",
        b"<textarea>" + META + b"</textarea>",
        b"<a title='" + META + b"'>",
        b"<meta name=description content='about charset=koi8-r'>",
        b"<body>" + META,
        b"<metadata charset=koi8-r>",
        b"<meta charset=koi8-r",
        b" " * 1024 + META,
    ],
)
def test_what_only_looks_like_a_declaration_is_none(start):
    assert declared_codec(start) == ""


def test_a_declaration_behind_the_first_kilobyte_is_late():
    assert late_codec(b" " * 1024 + META) == "koi8-r"
    assert late_codec(b" " * 1024 + b"<title>" + META + b"</title>") == ""


@pytest.mark.parametrize(
    ("content_type", "codec"),
    [
        ("text/html; charset=koi8-r", "koi8-r"),
        ('text/html;CHARSET="koi8-r"', "koi8-r"),
        ("text/html; charset = 'koi8-r'", "koi8-r"),
        ("text/html", ""),
    ],
)
def test_a_media_type_names_its_encoding(content_type, codec):
    assert codec_in(content_type) == codec


@given(st.binary(max_size=300))
def test_no_page_raises(start):
    declared_codec(b"<meta " + start)
    late_codec(start)


def test_a_hostile_page_takes_no_time():
    for piece in (b"<meta ", b"<!--", b"<script ", b"<a '", b"<meta charset='\"", b"</"):
        late_codec(piece * 20_000)
