"""Is each file of a folder found once, under one URL, or counted with its reason?"""

from __future__ import annotations

import os

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.folders.walking import Walk, ending


def make(folder, *names, text="x"):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def urls(walk):
    return [file.url for file in walk]


def test_files_are_found_at_any_depth_under_their_own_addresses(tmp_path):
    make(tmp_path, "b.txt", "a/deep/er/c d.md", "ü.pdf")

    prefix = tmp_path.as_uri()
    assert urls(Walk(tmp_path)) == [
        f"{prefix}/a/deep/er/c%20d.md",
        f"{prefix}/b.txt",
        f"{prefix}/%C3%BC.pdf",
    ]


@pytest.mark.parametrize("base", ["https://a.test/docs/", "HTTPS://A.test/docs/index.html"])
def test_the_files_of_a_site_have_the_addresses_where_it_is_published(tmp_path, base):
    make(tmp_path, "index.html", "sub/index.html", "sub/x y.html", "robots.txt")

    walk = Walk(tmp_path, base)

    assert urls(walk) == [
        "https://a.test/docs/",
        "https://a.test/docs/sub/",
        "https://a.test/docs/sub/x%20y.html",
    ]
    assert walk.skipped == {"hidden": 1}  # robots.txt is for crawlers


@pytest.mark.parametrize("base", ["a.test", "ftp://a.test/", "https://a.test/x?y=/", "/srv/site"])
def test_a_base_that_is_no_address_is_refused(tmp_path, base):
    with pytest.raises(ConfigurationError, match="--base"):
        Walk(tmp_path, base)


def test_what_is_not_read_is_counted_with_its_reason(tmp_path):
    make(tmp_path, ".git/config", ".env", "a.warc.gz", "ok.txt")
    make(tmp_path, "long.txt", text="x" * 101)
    (tmp_path / "away").symlink_to("/etc")
    (tmp_path / "round").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")

    walk = Walk(tmp_path, max_bytes=100)

    assert urls(walk) == [tmp_path.as_uri() + "/ok.txt"]
    assert walk.skipped == {"hidden": 2, "too-large": 1, "symbolic-link": 2, "no-file": 1}
    assert walk.archives == [tmp_path / "a.warc.gz"]


def test_a_static_site_has_no_archives_of_others(tmp_path):
    make(tmp_path, "a.warc.gz", "x.html")

    walk = Walk(tmp_path, "https://a.test/")

    assert urls(walk) == ["https://a.test/x.html"]
    assert (walk.archives, walk.skipped) == ([], {"archive": 1})


def test_a_name_in_bytes_of_no_charset_is_counted(tmp_path):
    make(tmp_path, os.fsdecode(b"\xff.txt"))

    walk = Walk(tmp_path)

    assert (urls(walk), walk.skipped) == ([], {"name": 1})


def test_a_file_that_took_the_place_of_another_is_newer_than_its_own_date(tmp_path):
    make(tmp_path, "a.txt")
    os.utime(tmp_path / "a.txt", (1.0, 1.0))

    [file] = Walk(tmp_path)

    assert file.changed_at == (tmp_path / "a.txt").stat().st_ctime > 1.0


@pytest.mark.parametrize(
    ("path", "kind"), [("/a.b/c.HTML", "html"), ("/a.b/c", ""), ("/x/.y", "y"), ("/x.tar.gz", "gz")]
)
def test_an_ending_is_that_of_the_name(path, kind):
    assert ending(path) == kind
