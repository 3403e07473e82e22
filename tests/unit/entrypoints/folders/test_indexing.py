"""Does a folder stay in step with the index, and does it cost only what has changed?"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from zipfile import ZipFile

import pytest

from gossamer import homes
from gossamer.adapters.warc import file_member
from gossamer.core.urls import url_id
from gossamer.entrypoints.folders.reading import FolderReader
from gossamer.settings import Settings
from tests.commands import complains, found, run_here, said
from tests.warc_bytes import page, response


@pytest.fixture
def folder(tmp_path):
    """Two texts and a picture."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "orbs.txt").write_text("Orb webs are made of silk.")
    (folder / "looms.md").write_text("# Looms\n\nSilk is woven there.")
    (folder / "spider.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    return folder


@pytest.fixture
def index(tmp_path, folder):
    return lambda *flags: printed("index", "--data", tmp_path / "data", folder, *flags)


def printed(*arguments):
    """What a command prints as JSON; notes go elsewhere."""
    done = run_here(arguments[0], "--json", *arguments[1:])
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def find(tmp_path, folder):
    """The names of the files that a query finds."""
    prefix = folder.as_uri() + "/"
    return lambda query: sorted(url.removeprefix(prefix) for url in found(tmp_path / "data", query))


def test_files_become_documents_and_the_others_have_reasons(index, find):
    done = index()

    assert (done["files"], done["documents"]) == (3, 2)
    assert done["skipped"] == {"unknown-type": 1}
    assert find("silk") == ["looms.md", "orbs.txt"]
    assert find("title:looms") == ["looms.md"]


def test_a_file_that_tells_no_language_has_that_of_the_others(index, folder, find):
    for number in range(6):
        text = f"<html lang=en><p>Knot {number}</p></html>"
        (folder / f"{number}.html").write_text(text)
    index()
    (folder / "table.txt").write_text("a | b | knot")

    index()

    assert find("lang:en knot") == [*(f"{number}.html" for number in range(6)), "table.txt"]


def test_archives_in_a_folder_are_read_like_those_that_are_named(index, tmp_path, folder):
    silk, steel = (f"http://a.test/{name}" for name in ("silk", "steel"))
    (folder / "warc" / "web").mkdir(parents=True)
    records = [response(url, page(url, "Silk is stronger than steel.")) for url in (silk, steel)]
    (folder / "warc" / "web" / "a.warc.gz").write_bytes(b"".join(records))
    (folder / "damaged.warc.gz").write_bytes(b"no archive")
    with ZipFile(folder / "theirs.wacz", "w") as wacz:
        wacz.writestr("archive/b.warc.gz", response("http://b.test/", page("Silk", "Silk too.")))

    done = index()

    assert (done["files"], done["documents"]) == (5, 5)
    assert done["skipped"] == {"unknown-type": 1, "unreadable": 1}
    archived = [url for url in found(tmp_path / "data", "silk", "--all") if url.startswith("http:")]
    assert sorted(archived) == [silk, steel, "http://b.test/"]
    assert index()["indexed"] == 0  # what is known is skipped


def test_only_what_has_changed_is_read_again(index, find, folder, monkeypatch):
    index()
    read, really = [], FolderReader.__call__

    def noting(self, place):
        page = really(self, place)
        read.append(page.url.rpartition("/")[2])
        return page

    monkeypatch.setattr(FolderReader, "__call__", noting)

    (folder / "orbs.txt").write_text("Funnel webs are made of silk.")
    done = index()

    assert [name for name in read if not name.endswith(".png")] == ["orbs.txt"]
    assert (done["indexed"], done["documents"]) == (1, 2)
    assert (find("funnel"), find("orb")) == (["orbs.txt"], [])


def test_a_file_that_an_older_one_replaced_is_read_again(index, find, folder):
    index()
    other = folder.parent / "older.txt"
    other.write_text("Looms weave linen.")
    os.utime(other, (1.0, 1.0))

    other.replace(folder / "orbs.txt")
    index()

    assert find("linen") == ["orbs.txt"]


def test_files_that_are_gone_leave_the_index_and_may_come_back(index, find, folder):
    index()
    text = (folder / "orbs.txt").read_text()
    (folder / "orbs.txt").unlink()

    gone = index()
    assert (gone["removed"], gone["documents"], find("orb")) == (1, 1, [])
    assert index()["removed"] == 0

    (folder / "orbs.txt").write_text(text)
    assert (index()["documents"], find("orb")) == (2, ["orbs.txt"])


def test_a_file_that_has_nothing_any_more_leaves_the_index(index, find, folder):
    index()

    (folder / "orbs.txt").write_bytes(b"\x00\x01")
    done = index()

    assert (done["documents"], find("orb")) == (1, [])
    assert done["skipped"] == {"unknown-type": 1, "unchanged": 1}


def test_of_the_same_file_twice_one_is_found_and_then_the_other(index, find, folder):
    (folder / "again.txt").write_bytes((folder / "orbs.txt").read_bytes())
    index()
    assert find("orb") == ["again.txt"]

    (folder / "again.txt").unlink()
    index()

    assert find("orb") == ["orbs.txt"]


def test_another_folder_and_what_was_crawled_stay(index, tmp_path):
    index()
    other = tmp_path / "files-2"
    other.mkdir()
    (other / "nets.txt").write_text("Nets of silk.")

    said("index", "--data", tmp_path / "data", other)
    assert index()["removed"] == 0

    assert len(found(tmp_path / "data", "silk")) == 3


def test_many_files_are_read_on_all_cores(index, find, folder, monkeypatch):
    monkeypatch.setattr("gossamer.entrypoints.local.index_workers.WORTHWHILE_BYTES", 0)
    for number in range(40):
        (folder / f"{number}.txt").write_text(f"Silk thread number{number}.")

    assert index()["documents"] == 42
    assert find("number17") == ["17.txt"]


def test_the_links_of_a_static_site_count(tmp_path):
    site, data = tmp_path / "site", tmp_path / "data"
    site.mkdir()
    pages = {"index": ["hub"], "a": ["hub", "index"], "b": ["hub"], "hub": ["a"]}
    for name, targets in pages.items():
        links = "".join(f'<a href="{each}.html">the {each} page</a> ' for each in targets)
        (site / f"{name}.html").write_text(f"<title>{name}</title><p>Silk {name}. {links}")

    said("index", "--data", data, site, "--base", "https://a.test/docs/")

    home = homes.open_home(replace(Settings(), data=str(data)), read_only=True)
    found_links = home.edges.inlinks([url_id("https://a.test/docs/hub.html")])
    [inlinks] = found_links.values()
    home.close()
    assert {link.url.rpartition("/")[2] for link in inlinks.links} == {"", "a.html", "b.html"}
    assert found(data, "silk")[0] == "https://a.test/docs/hub.html"


def test_a_base_goes_with_a_folder(tmp_path):
    file = tmp_path / "a.warc.gz"

    flags = ("--base", "https://a.test/")
    file.write_bytes(file_member(file.name))
    assert "--base" in complains("index", "--data", tmp_path / "data", file, *flags)
    assert "--base" in complains("index", "--data", tmp_path / "data", *flags)
