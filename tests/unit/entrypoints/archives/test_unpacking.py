"""Is a WACZ file read by the WARC files in it, and refused if it is none, or too much?"""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from zipfile import ZipFile

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.archives.unpacking import (
    MAX_RATIO,
    check_wacz,
    is_one_member,
    is_wacz,
    warcs_of,
)
from gossamer.entrypoints.local.warc_pages import find_pages
from tests.commands import complains
from tests.warc_bytes import page, response


def packed(path, members, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", method) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return path


def test_its_warc_files_are_there_one_at_a_time_and_gone_after_it(tmp_path):
    members = {"archive/a.warc.gz": b"one", "archive/b.warc": b"two", "pages/pages.jsonl": b"{}"}
    path = packed(tmp_path / "x.wacz", members, zipfile.ZIP_DEFLATED)

    read: list[tuple[str, bytes]] = []
    kept: list[Path] = []
    for warc in warcs_of(path):
        read.append((warc.name, warc.read_bytes()))
        assert not any(map(Path.exists, kept))
        kept.append(warc)

    assert read == [("a.warc.gz", b"one"), ("b.warc", b"two")]
    assert not any(map(Path.exists, kept))
    assert [each.name for each in tmp_path.iterdir()] == ["x.wacz"]


def test_any_other_file_is_itself(tmp_path):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"\x1f\x8b")

    assert not is_wacz(path)
    assert list(warcs_of(path)) == [path]


def test_no_member_is_written_outside(tmp_path):
    path = packed(tmp_path / "x.wacz", {"archive/../../../evil.warc": b"x"})

    [warc] = (each.resolve() for each in warcs_of(path))

    assert warc.name == "evil.warc"
    assert warc.parent.name.startswith("gossamer-")


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"word/document.xml": b"<a/>"}, "it is no WACZ file: there is no WARC file"),
        ({"archive/a.warc": bytes(2_000_000)}, f"more than {MAX_RATIO} times as large"),
    ],
)
def test_what_is_no_wacz_or_unpacks_to_too_much_is_refused(tmp_path, members, said):
    path = packed(tmp_path / "x.wacz", members, zipfile.ZIP_DEFLATED)

    with pytest.raises(ConfigurationError, match=said):
        check_wacz(path)
    assert said in complains("index", "--data", tmp_path / "data", path)
    assert not (tmp_path / "data").exists()


def test_a_zip_that_is_cut_short_is_named(tmp_path):
    path = packed(tmp_path / "x.wacz", {"archive/a.warc": b"x" * 500})
    path.write_bytes(path.read_bytes()[:-30])

    assert f"cannot read {path}" in complains("index", "--data", tmp_path / "data", path)


def test_a_member_that_is_no_warc_file_is_named_by_its_place(tmp_path):
    path = packed(tmp_path / "x.wacz", {"archive/a.warc.gz": b"nothing of the kind"})

    said = complains("index", "--data", tmp_path / "data", path)

    assert f"cannot read a.warc.gz in {path}: it is no WARC file" in said


def test_a_warc_file_that_is_one_gzip_member_is_read(tmp_path):
    path = tmp_path / "a.warc.gz"
    records = [response(f"http://a.test/{n}", page("Silk", "silk"), packed=False) for n in range(3)]
    path.write_bytes(gzip.compress(b"".join(records)))

    assert is_one_member(path)
    [found] = [list(find_pages(warc)) for warc in warcs_of(path)]
    assert len(found) == 3


@pytest.mark.parametrize("count", [1, 3])
def test_a_warc_file_with_members_of_their_own_is_left_as_it_is(tmp_path, count):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(response(f"http://a.test/{n}", "silk") for n in range(count)))

    assert not is_one_member(path)
    assert list(warcs_of(path)) == [path]


def test_a_member_that_unpacks_to_far_more_is_refused(tmp_path):
    path = tmp_path / "a.warc.gz"
    records = [response(f"http://a.test/{n}", " " * 1_000_000, packed=False) for n in range(3)]
    path.write_bytes(gzip.compress(b"".join(records)))

    with pytest.raises(ConfigurationError, match="50 times as large"):
        list(warcs_of(path))


def test_empty_files_of_an_archive_are_not_looked_at(tmp_path, monkeypatch):
    path, opened = tmp_path / "a.wacz", []
    with ZipFile(path, "w") as file:
        for number in range(50):
            file.writestr(f"archive/{number}.warc.gz", b"")
        file.writestr("archive/last.warc.gz", response("http://a.test/", "silk"))
    make = zipfile.ZipFile

    def noted(path):
        opened.append(path)
        return make(path)

    monkeypatch.setattr("gossamer.entrypoints.archives.unpacking.ZipFile", noted)

    names = [warc.name for warc in warcs_of(path)]

    assert names == ["last.warc.gz"]
    assert len(opened) == 1
