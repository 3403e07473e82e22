"""Text of a page never becomes a formula in a spreadsheet."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.adapters.local.home import LocalHome
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.entrypoints.cli.export import export
from gossamer.homes import decode_body
from gossamer.messages import Link
from tests.effort import often

URL = "http://a.test/"
FULL_WIDTH = "\uff1d\uff0b\uff0d\uff20"
TEXTS = st.tuples(
    st.sampled_from([*"=+-@\t\r\n\"',;'", *FULL_WIDTH, "", " ", "\r\n="]), st.text(max_size=10)
).map("".join)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = LocalHome(None, tmp_path_factory.mktemp("warc"), decode_body)
    home.urls.add([Discovery(url_id(URL), URL, "a.test", 0, job="web")], b"", 100.0)
    yield home
    home.close()


def rows(home, what):
    out = io.StringIO(newline="")
    export(home, what, "csv", out)
    return list(csv.DictReader(io.StringIO(out.getvalue(), newline="")))


@often(200)
@given(TEXTS.filter(lambda text: "\0" not in text))
@example("=HYPERLINK(1)")
@example("\n=1+1")
@example("x\r=1+1")  # a row of its own, if it is not quoted
@example("\uff1d1+1")
@example('";=1+1')
def test_no_cell_begins_like_a_formula_and_none_is_lost(home, text):
    document = Document(url=URL, title=text, description=text, text=text, canonical=text)
    home.documents.put(url_id(URL), [document], 100.0)
    home.edges.put(url_id(URL), [Link(URL, text)], 0, 1)

    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    (row,) = rows(home, "documents")
    (edge,) = rows(home, "edges")

    for cell in (row["title"], row["description"], row["text"], row["canonical"], edge["anchor"]):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", *FULL_WIDTH))
        assert cell in (lines, "'" + lines)
