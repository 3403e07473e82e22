"""Is a table in a text file read row by row?"""

from __future__ import annotations

import pytest

from gossamer.core.page.files import file_text
from tests.read_files import parsed

TYPE = "text/csv; charset=utf-8"
URL = "http://a.test/data/spiders%20of%20Europe.csv"


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_rows_are_lines_whatever_separates_their_cells(sign):
    rows = [["name", "legs"], ["garden spider", "8"], ["crab spider", "8"]]
    body = "\r\n".join(sign.join(row) for row in rows)

    (document,) = parsed(body.encode(), TYPE, URL).documents

    assert document.text == "name legs\ngarden spider 8\ncrab spider 8"
    assert document.headings == [(2, "name"), (2, "legs")]
    assert (document.title, document.kind) == ("spiders of Europe", "csv")
    assert document.values["rows"] == 2


def test_quoted_cells_may_hold_separators_and_lines():
    body = 'name,said\n"Spider, garden","two\nlines"\n'

    (document,) = parsed(body.encode(), TYPE, URL).documents

    assert document.text == "name said\nSpider, garden two lines"


def test_an_empty_table_has_a_reason():
    assert parsed(b"\n\n", TYPE, URL).reason == file_text.NO_TEXT
