from __future__ import annotations

import msgspec
import pytest

from gossamer.core.page.document import Document
from gossamer.core.page.packed_documents import pack, unpack, unpack_parts
from gossamer.core.page.parts import parts_of

URL = "http://a.test/"
PLAIN = Document(url=URL, title="a page", headings=[(1, "One")])
PAGES = {
    "none": [],
    "plain": [PLAIN],
    "one item": [Document(url=URL, key="a")],
    "many": [PLAIN, *(Document(url=URL, key=key, place=3) for key in "abc")],
}


@pytest.mark.parametrize("documents", PAGES.values(), ids=PAGES)
def test_documents_come_back_with_their_parts(documents):
    parts, body = pack(documents)

    assert unpack(parts, body) == parts_of(documents)
    assert unpack_parts(parts) == tuple(parts_of(documents))


def test_a_plain_page_is_kept_as_pages_were_before_there_were_parts():
    before = {"url": URL, "title": "old", "noindex": False, "nofollow": True}

    assert pack([PLAIN])[0] is None
    assert unpack(None, msgspec.msgpack.encode(before)) == {0: Document(url=URL, title="old")}
