"""Does `gossamer export --what warc` write pages where it is told, in either home?"""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace

import pytest
from warcio.archiveiterator import ArchiveIterator

from gossamer import homes
from gossamer.settings import Settings
from tests.commands import complains, run_here, said
from tests.contract.test_archives import crawl, page, response
from tests.indexing import index_home
from tests.unit.entrypoints import moto_stack

ORBS, FUNNELS = "http://a.test/", "http://a.test/deep"


@pytest.fixture
def data(tmp_path):
    """The folder of a collection that was crawled."""
    home = homes.open_home(replace(Settings(), data=str(tmp_path / "data")))
    fill(home)
    home.close()
    return tmp_path / "data"


def fill(home):
    crawl(home, response("", page("Orbs")), "Orbs")
    crawl(home, response("deep", page("Funnels")), "Funnels", depth=2)
    index_home(home)
    home.commit()


def urls_in(path):
    with path.open("rb") as file:
        return sorted(
            record.rec_headers.get_header("WARC-Target-URI")
            for record in ArchiveIterator(file)
            if record.rec_type == "response"
        )


@pytest.mark.parametrize("name", [None, "pages.zip", "warc", "pages.warc"])
def test_the_name_of_the_file_must_say_what_it_is(data, tmp_path, name):
    output = ["--output", tmp_path / name] if name else []

    assert ".wacz" in complains("export", "--data", data, "--what", "warc", *output)


def test_a_query_goes_with_pages_only(data):
    assert "--what table or warc" in complains("export", "--data", data, "--query", "silk")


def test_a_query_that_cannot_be_read_is_named(data, tmp_path):
    flags = ("--what", "warc", "--output", tmp_path / "x.wacz", "--query", " ")

    assert "query" in complains("export", "--data", data, *flags)
    assert not list(tmp_path.glob("x.wacz*"))


def test_a_collection_leaves_as_a_warc_file(data, tmp_path):
    target = tmp_path / "all.warc.gz"

    done = said("export", "--data", data, "--what", "warc", "--output", target)

    assert urls_in(target) == [ORBS, FUNNELS]
    assert done == {
        "file": str(target), "responses": 2, "pages": 2, "missing": 0,
        "bytes": target.stat().st_size,
    }  # fmt: skip


def test_what_a_query_finds_leaves_for_replay(data, tmp_path):
    target = tmp_path / "some.wacz"

    flags = ("--what", "warc", "--query", "funnels", "--output", target)
    done = run_here("export", "--data", data, *flags)

    assert done.stdout.startswith(f"1 response in {target}, ")
    with zipfile.ZipFile(target) as file:
        _, line = file.read("pages/pages.jsonl").splitlines()
    assert json.loads(line)["url"] == FUNNELS


def test_a_stack_writes_the_same_file(stack, tmp_path):
    target = tmp_path / "all.warc.gz"
    fill(moto_stack.home())

    done = said("export", "--stack", stack, "--what", "warc", "--output", target)

    assert (done["responses"], urls_in(target)) == (2, [ORBS, FUNNELS])


def test_a_file_that_is_there_stays_if_the_new_one_cannot_be_written(data, tmp_path):
    target = tmp_path / "no" / "all.wacz"

    assert str(target) in complains("export", "--data", data, "--what", "warc", "--output", target)
