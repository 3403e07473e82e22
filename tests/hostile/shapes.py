"""Which answers mean one thing to one reader and something else to the next?

The shapes of HTTP smuggling, turned round: a server that makes two parts of a client disagree about
where an answer ends could put its own words into the mouth of the next answer.
"""

from __future__ import annotations

from dataclasses import dataclass

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
CHUNKS = b"\r\n5\r\nhello\r\n0\r\n\r\n"
POISON = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\npoison"


@dataclass(frozen=True)
class Shape:
    """Bytes, and the fault that they are; without a fault: the body that they stand for."""

    answer: bytes
    fault: str = "malformed-response"
    code: int = 0
    body: bytes = b""


def _length(value: bytes) -> Shape:
    return Shape(OK + b"Content-Length: " + value + b"\r\n\r\nhello")


def _encoded(lines: bytes, fault: str, body: bytes = b"") -> Shape:
    return Shape(OK + lines + b"\r\n" + CHUNKS, fault, 200, body)


def _chunk(chunks: bytes) -> Shape:
    return Shape(CHUNKED + chunks, code=200)


SHAPES = {
    "/two-lengths": _length(b"5\r\nContent-Length: 6"),
    "/listed-lengths": _length(b"5, 6"),
    "/signed-length": _length(b"+5"),
    "/negative-length": _length(b"-5"),
    "/hexadecimal-length": _length(b"0x5"),
    "/spaced-length": _length(b"5 6"),
    "/giant-length": _length(b"99999999999999999999"),
    "/empty-length": _length(b""),
    "/chunked-not-last": _encoded(b"Transfer-Encoding: chunked, identity", "undecodable-body"),
    "/chunked-misspelt": _encoded(b"Transfer-Encoding: xchunked", "undecodable-body"),
    "/gzip-then-chunked": _encoded(b"Transfer-Encoding: gzip, chunked", "undecodable-body"),
    "/gzip-and-chunked": _encoded(
        b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", "undecodable-body"
    ),
    # Where these end is unknown, and the server does not say: they are waited for.
    "/chunked-and-identity": _encoded(
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "too-slow"
    ),
    "/chunked-behind-a-tab": _encoded(
        b"Transfer-Encoding:\x0bchunked\r\nContent-Length: 5", "too-slow"
    ),
    "/identity-and-length": Shape(
        OK + b"Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello" + POISON,
        "too-slow",
        200,
    ),
    "/chunked-twice": _encoded(
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "", b"hello"
    ),
    "/chunked-folded": _encoded(b"Transfer-Encoding:\r\n chunked", "", b"hello"),
    "/length-folded": Shape(
        OK + b"X: a\r\n Content-Length: 9\r\nContent-Length: 5\r\n\r\nhello", "", 200, b"hello"
    ),
    "/bare-line-feeds": Shape(
        OK.replace(b"\r\n", b"\n") + b"Content-Length: 5\n\nhello", "", 200, b"hello"
    ),
    "/bare-carriage-return": Shape(
        OK + b"X: a\rContent-Length: 9\r\nContent-Length: 5\r\n\r\nhello"
    ),
    "/spaced-colon": Shape(
        OK + b"Transfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\nhello", code=200
    ),
    "/no-colon": Shape(OK + b"no colon\r\nContent-Length: 5\r\n\r\nhello"),
    "/nul-name": Shape(OK + b"X\0Y: 1\r\nContent-Length: 5\r\n\r\nhello"),
    "/negative-chunk": _chunk(b"-5\r\nhello\r\n0\r\n\r\n"),
    "/giant-chunk": _chunk(b"FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"),
    "/prefixed-chunk": _chunk(b"0x5\r\nhello\r\n0\r\n\r\n"),
    "/overlong-chunk": _chunk(b"3\r\nhello\r\n0\r\n\r\n"),
    "/unended-chunk": _chunk(b"5\r\nhelloX0\r\n\r\n"),
    "/unsized-chunk": _chunk(b"\r\nhello\r\n0\r\n\r\n"),
    "/empty-with-body": Shape(
        b"HTTP/1.1 204 No Content\r\nContent-Length: 69\r\n\r\n" + POISON, "", 204
    ),
    "/unchanged-with-body": Shape(
        b"HTTP/1.1 304 Not Modified\r\nContent-Length: 69\r\n\r\n" + POISON, "", 304
    ),
    "/continue-with-body": Shape(
        b"HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\nhello" + POISON
    ),
    "/http-9": Shape(b"HTTP/9.9 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
    "/http-2": Shape(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "/http-0.9": Shape(b"<html>hello</html>\r\n\r\n"),
    "/no-code": Shape(b"HTTP/1.1 OK\r\nContent-Length: 5\r\n\r\nhello"),
    "/a-request": Shape(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"),
}
