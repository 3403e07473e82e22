"""Does any name lead out of the folder, the bucket or the collection that it belongs to?

Static files are in test_parameters, job files in test_jobs.
"""

from __future__ import annotations

import gzip

import pytest

from gossamer import homes
from gossamer.core.crawl.url_record import PageRef
from gossamer.core.errors import CorruptRecord
from gossamer.entrypoints.cli import main
from gossamer.settings import Settings
from tests.conftest import EMBEDDED

NAMES = [
    "../secret.warc.gz", "../../secret.warc.gz", "/secret.warc.gz", "x/../../secret.warc.gz", "..",
    ".", "", "\0", "secret.warc.gz\0", "..\\secret.warc.gz", "%2e%2e/secret.warc.gz",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_only_looked_for_among_the_pages(any_home, name):
    with pytest.raises(CorruptRecord):
        any_home.pages.read(PageRef(name, 0, 1000))


RECORD = (
    b"WARC/1.1\r\nWARC-Target-URI: http://a.test/\r\nContent-Length: 25\r\n\r\n"
    b"HTTP/1.1 200 OK\r\n\r\nsecret"
)


@pytest.mark.only(*EMBEDDED)
@pytest.mark.parametrize(
    "name", ["../secret.warc.gz", "{}/secret.warc.gz", "x/../../secret.warc.gz"]
)
def test_not_even_a_page_is_read_elsewhere(any_home, tmp_path, name):
    (tmp_path / "secret.warc.gz").write_bytes(gzip.compress(RECORD))
    (tmp_path / "warc" / "x").mkdir(parents=True)

    with pytest.raises(CorruptRecord, match="not the name of a WARC file"):
        any_home.pages.read(PageRef(name.format(tmp_path), 0, 1000))


@pytest.mark.parametrize("job", ["../../x", "/etc/passwd", "a/b", "..", "x\n", "🕸", "a" * 300])
def test_the_name_of_a_job_is_no_path(tmp_path, capsys, job):
    data = tmp_path / "data"
    homes.open_home(Settings(data=str(data))).close()
    before = {path for path in tmp_path.rglob("*") if path.is_dir()}

    assert main.main(["stats", "--data", str(data), "--job", job]) == 2

    assert "there is no job" in capsys.readouterr().err
    assert {path for path in tmp_path.rglob("*") if path.is_dir()} == before
