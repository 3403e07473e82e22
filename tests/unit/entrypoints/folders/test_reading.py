"""Is a file read by its type, and has one that cannot be read a reason?"""

from __future__ import annotations

import time

import pytest

from gossamer.adapters import native_reader
from gossamer.batch.index_pages import Place
from gossamer.entrypoints.folders import reading
from gossamer.entrypoints.folders.reading import FolderReader
from gossamer.entrypoints.folders.walking import Walk
from tests.made_files import docx, pdf

ALL = 1_000_000


def read(folder, base=""):
    """What is read of each file, by its URL behind the folder's."""
    walk = Walk(folder, base)
    files = list(walk)
    reader = FolderReader(files, is_site=bool(base))
    pages = [reader(Place(number, ALL)) for number in range(len(files))]
    return {page.url.removeprefix(walk.prefix): page for page in pages}


@pytest.mark.parametrize(
    ("name", "content", "kind", "title"),
    [
        ("a.html", b"<title>Orb webs</title><p>Silk.", "", "Orb webs"),
        ("a.md", b"# Orb webs\n\nSilk.", "markdown", "Orb webs"),
        ("a.csv", b"name,length\nsilk,3\n", "csv", "a"),
        ("a.txt", b"Orb webs\nSilk.", "", "Orb webs"),
        ("loom.rs", b"fn weave() {}\n", "", "fn weave() {}"),
        ("Makefile", b"silk: spider\n\techo\n", "", "silk: spider"),
        ("a.py", "# Grüße\nsilk = 1\n".encode(), "", "Grüße"),
        ("wide.txt", "Orb webs".encode("utf-16"), "", "Orb webs"),
    ],
)
def test_a_text_is_read_by_its_name_or_its_bytes(tmp_path, name, content, kind, title):
    (tmp_path / name).write_bytes(content)

    [document] = read(tmp_path)[name].documents

    assert (document.kind, document.title) == (kind, title)
    assert document.date_source in ("last-modified", "file")


def test_files_of_programs_are_read(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf(["Silk is strong."], {"Title": "Orb webs"}))
    (tmp_path / "b.docx").write_bytes(docx([("", "Silk is strong.")], title="Funnels"))

    found = read(tmp_path)

    [first], [second] = found["a.pdf"].documents, found["b.docx"].documents
    assert (first.kind, first.title) == ("pdf", "Orb webs")
    assert (second.kind, second.title) == ("docx", "Funnels")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n\x00\x00", "unknown-type"),
        ("a.pdf", b"no PDF", "file-damaged"),
        ("a.docx", b"no zip", "file-damaged"),
        ("a.pdf", pdf([""]), "file-without-text"),
        ("a.html", b"<meta name=robots content=noindex><p>Silk.", "noindex"),
        ("a.html", b"<meta name=robots content='unavailable_after: 2010-06-25'><p>Silk.",
         "unavailable-after"),
    ],
)  # fmt: skip
def test_what_has_no_document_has_a_reason(tmp_path, name, content, reason):
    (tmp_path / name).write_bytes(content)

    [page] = read(tmp_path).values()

    assert (page.documents, page.reason) == ([], reason)


def test_a_page_that_is_to_end_is_read_with_its_end(tmp_path):
    (tmp_path / "a.html").write_text(
        "<meta name=robots content='unavailable_after: 2099-06-25'><p>Silk."
    )

    [document] = read(tmp_path)["a.html"].documents

    assert document.unavailable_after == 4086028800


def test_a_file_that_is_gone_when_its_turn_comes_has_a_reason(tmp_path):
    (tmp_path / "a.txt").write_text("silk")
    reader = FolderReader(list(Walk(tmp_path)), is_site=False)
    (tmp_path / "a.txt").unlink()

    assert reader(Place(0, ALL)).reason == "unreadable"


def test_a_file_that_keeps_native_code_busy_is_given_up(tmp_path, monkeypatch):
    (tmp_path / "a.pdf").write_bytes(pdf(["Silk."]))
    monkeypatch.setattr(reading, "MAX_WALL_SECONDS", 0.2)
    monkeypatch.setattr(reading, "read_response", lambda *_: time.sleep(60))
    assert native_reader.NATIVE_TYPES

    [page] = read(tmp_path).values()

    assert page.reason == "parser-gave-up"


def test_a_reader_that_fails_costs_its_file_only(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("silk")
    monkeypatch.setattr(reading, "read_response", lambda *_: 1 / 0)

    assert read(tmp_path)["a.txt"].reason == "parser-gave-up"


def test_the_links_of_a_site_lead_to_its_files_as_they_are_known(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "index.html").write_text("<p>Silk.")
    (tmp_path / "about.html").write_text("<p>Silk.")
    (tmp_path / "index.html").write_text(
        '<p>Silk <a href="sub/index.html">1</a> <a href="/sub">2</a> <a href="about">3</a>'
        ' <a href="about.html" rel=nofollow>4</a> <a href="https://b.test/x">5</a>'
    )

    links = read(tmp_path, "https://a.test/")[""].links

    assert [(link.url, link.anchor, link.nofollow) for link in links] == [
        ("https://a.test/sub/", "1", False),
        ("https://a.test/sub/", "2", False),
        ("https://a.test/about.html", "3", False),
        ("https://a.test/about.html", "4", True),
        ("https://b.test/x", "5", False),
    ]


def test_a_site_has_pages_and_no_programs(tmp_path):
    for name in ("app.js", "style.css", "search.json", "LICENSE"):
        (tmp_path / name).write_text("silk")

    assert {page.reason for page in read(tmp_path, "https://a.test/").values()} == {"unknown-type"}
    assert all(page.documents for page in read(tmp_path).values())
