"""What did the server mean by these bytes, and is it small enough to know?"""

from __future__ import annotations

import contextlib
import gzip
import random
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.errors import Fault
from gossamer.core.page.content_decoding import Body

MEGABYTE = 1024 * 1024
ENCODERS = [
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", lambda data: zlib.compress(data, wbits=-15)),
    ("br", lambda data: bytes(brotli.compress(data, quality=3))),
    ("zstd", zstandard.ZstdCompressor().compress),
]
encoders = st.sampled_from(ENCODERS)


def body(encoding: str = "", *, cap: int = MEGABYTE, ratio: int = 250) -> Body:
    return Body(encoding, cap=cap, ratio=ratio)


def feed(into: Body, data: bytes, step: int = 10_000) -> tuple[bytes, bytes]:
    for at in range(0, len(data), step):
        into.feed(data[at : at + step])
    return into.finish()


def fault_of(into: Body, data: bytes, step: int = 10_000) -> str:
    with pytest.raises(Fault) as caught:
        feed(into, data, step)
    return caught.value.name


@given(encoders, st.binary(min_size=1, max_size=5000), st.integers(min_value=1, max_value=5000))
def test_decoding_undoes_encoding_however_the_pieces_fall(encoder, data, step):
    name, encode = encoder

    raw, decoded = feed(body(name), encode(data), step)

    assert (raw, decoded) == (encode(data), data)


@pytest.mark.parametrize(("name", "encode"), ENCODERS)
@pytest.mark.parametrize("size", [65_535, 65_536, 65_537, 131_072, 500_000])
def test_nothing_is_lost_around_the_size_of_a_piece(name, encode, size):
    data = b"ab" * (size // 2) + b"c" * (size % 2)

    assert feed(body(name, ratio=10**6), encode(data))[1] == data


@pytest.mark.parametrize("name", ["", "identity", "Identity ", "none", "UTF-8"])
def test_a_plain_body_is_itself(name):
    assert feed(body(name), b"<p>plain") == (b"<p>plain", b"<p>plain")


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_an_empty_body_is_empty_whatever_it_claims(name):
    assert body(name).finish() == (b"", b"")


@pytest.mark.parametrize("name", ["compress", "gzip, gzip, gzip", "gzip, br", "dcz", "rot13"])
def test_an_encoding_we_did_not_ask_for_is_refused(name):
    with pytest.raises(Fault, match="undecodable-body"):
        body(name)


@pytest.mark.parametrize(("name", "encode"), ENCODERS)
@pytest.mark.parametrize("step", [100, 100_000])
def test_a_bomb_is_called_a_bomb(name, encode, step):
    assert fault_of(body(name), encode(bytes(16 * MEGABYTE)), step) == "decompression-bomb"


@pytest.mark.parametrize(("name", "encode"), ENCODERS)
def test_a_bomb_is_found_below_the_cap_too(name, encode):
    into = body(name, cap=100 * MEGABYTE)

    assert fault_of(into, encode(bytes(16 * MEGABYTE))) == "decompression-bomb"


@pytest.mark.parametrize(("name", "encode"), ENCODERS)
def test_a_small_body_may_compress_as_well_as_it_likes(name, encode):
    assert feed(body(name), encode(bytes(900_000)))[1] == bytes(900_000)


def honest_text(size: int) -> bytes:
    words = random.Random(1)
    return b" ".join(b"%d" % words.randrange(10**6) for _ in range(size // 7))


@pytest.mark.parametrize(("name", "encode"), ENCODERS)
def test_a_big_honest_text_is_too_large_but_no_bomb(name, encode):
    assert fault_of(body(name, cap=100_000), encode(honest_text(150_000))) == "too-large"


def test_a_plain_body_has_the_same_cap():
    assert feed(body(cap=10), b"a" * 10)[1] == b"a" * 10
    assert fault_of(body(cap=10), b"a" * 11) == "too-large"


@pytest.mark.parametrize(("name", "encode"), ENCODERS)
def test_a_stream_cut_short_is_truncated(name, encode):
    assert fault_of(body(name), encode(honest_text(5000))[:-12]) == "truncated-body"


@pytest.mark.parametrize("name", ["gzip", "br", "zstd"])
def test_a_body_that_is_not_encoded_at_all_is_undecodable(name):
    page = b"<!doctype html><p>they forgot to compress me" * 20

    assert fault_of(body(name), page) == "undecodable-body"


@pytest.mark.parametrize("step", [1, 100_000])
def test_what_follows_a_brotli_stream_spoils_it(step):
    stream = brotli.compress(honest_text(5000)) + b"\r\n<!-- cached -->"

    assert fault_of(body("br"), stream, step) == "undecodable-body"


@pytest.mark.parametrize(("name", "encode"), [one for one in ENCODERS if one[0] != "br"])
@pytest.mark.parametrize("step", [1, 100_000])
def test_what_follows_the_stream_is_ignored(name, encode, step):
    data = honest_text(5000)

    assert feed(body(name), encode(data) + b"\r\n<!-- cached -->", step)[1] == data


def test_a_zstd_window_beyond_the_standard_is_refused():
    parameters = zstandard.ZstdCompressionParameters(window_log=27)
    wide = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    stream = wide.compress(honest_text(200_000)) + wide.flush()

    assert fault_of(body("zstd"), stream) == "undecodable-body"


@given(encoders, st.binary(max_size=300))
def test_no_bytes_do_more_than_fault(encoder, noise):
    with contextlib.suppress(Fault):
        feed(body(encoder[0]), noise, 7)


@given(
    st.lists(st.binary(max_size=500), min_size=1, max_size=4),
    st.integers(min_value=1, max_value=100),
)
def test_all_members_of_a_gzip_body_are_read_however_the_pieces_fall(parts, step):
    data = b"".join(map(gzip.compress, parts))

    assert feed(body("gzip"), data, step) == (data, b"".join(parts))


@pytest.mark.parametrize("rest", [b"\0", b"\x1f", b"junk"])
def test_what_follows_the_last_member_is_ignored(rest):
    assert feed(body("gzip"), gzip.compress(b"page") + rest, 1)[1] == b"page"


def test_a_last_member_cut_short_is_truncated():
    data = gzip.compress(b"page") + gzip.compress(b"more")[:-3]

    assert fault_of(body("gzip"), data) == "truncated-body"


@given(st.binary(max_size=3000), st.integers(min_value=1, max_value=100))
def test_gzip_within_gzip_is_read(data, step):
    twice = gzip.compress(gzip.compress(data))

    assert feed(body("gzip, gzip"), twice, step)[1] == data


def test_an_encoding_that_is_named_twice_and_used_once_is_undone_once():
    assert feed(body("gzip, x-gzip"), gzip.compress(b"page"))[1] == b"page"


def test_a_bomb_within_a_bomb_is_a_bomb():
    bomb = gzip.compress(gzip.compress(bytes(50 * MEGABYTE)))

    assert fault_of(body("gzip, gzip"), bomb) in ("decompression-bomb", "too-large")
