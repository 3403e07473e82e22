"""Is a row whose bytes are not those that were written called damage, and the way out named?"""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from gossamer.adapters.local.home import LocalHome
from gossamer.core.crawl.url_record import Discovery
from gossamer.core.errors import StoreDamaged
from gossamer.core.page.document import Document
from gossamer.core.urls import url_id
from gossamer.homes import decode_body
from gossamer.messages import Link
from gossamer.ports.edges import InLinks

URL = "http://a.test/"
PAGE = url_id(URL)


def read_documents(home):
    return list(home.documents.all())


def read_document(home):
    return home.documents.pages([PAGE])


def read_links(home):
    return list(home.edges.all())


def read_inlinks(home):
    return home.edges.inlinks([PAGE])


def read_urls(home):
    return list(home.urls.all())


def read_url(home):
    return home.urls.get(PAGE)


@pytest.fixture
def database(tmp_path):
    home = LocalHome(tmp_path / "web.db", tmp_path / "warc", decode_body)
    home.urls.add([Discovery(PAGE, URL, "a.test", 0)], b"", 1.0)
    home.documents.put(PAGE, [Document(url=URL, title="Silk", text="Silk " * 50)], 1.0)
    home.edges.put(PAGE, [Link(URL, "a loom")], 0, 1)
    home.edges.put_inlinks({PAGE: InLinks(1)})
    home.close()
    return tmp_path / "web.db"


@pytest.mark.parametrize(
    ("change", "read"),
    [
        ("UPDATE documents SET body = x'00'", read_documents),
        ("UPDATE documents SET body = x'00'", read_document),
        (
            "UPDATE documents SET anchors = x'0000000000000000000000000000000091a1ff'",
            read_documents,
        ),
        ("UPDATE edges SET body = x'28b52ffd00'", read_links),
        ("UPDATE inlinks SET body = x'28b52ffd00'", read_inlinks),
        ("UPDATE urls SET url = CAST(x'681bff' AS TEXT)", read_urls),
        ("UPDATE urls SET url = CAST(x'681bff' AS TEXT)", read_url),
        ("UPDATE urls SET state = 'parsEd'", read_urls),
        ("UPDATE urls SET state = 'parsEd'", read_url),
    ],
)
def test_it_is_damage_with_the_way_out(database, change, read):
    with closing(sqlite3.connect(database)) as db:
        db.execute(change)
        db.commit()
    home = LocalHome(database, database.parent / "warc", decode_body, read_only=True)

    with pytest.raises(StoreDamaged, match="`gossamer rebuild --data ") as damage, closing(home):
        read(home)

    assert str(damage.value).isprintable()  # a terminal would obey what the row may have


@pytest.mark.parametrize(
    "read", [read_documents, read_document, read_links, read_inlinks, read_urls, read_url]
)
def test_a_whole_row_is_read(database, read):
    with closing(LocalHome(database, database.parent, decode_body, read_only=True)) as home:
        assert read(home)
