"""`gossamer inspect`: what is in a segment, which are there, and whether one is whole."""

from __future__ import annotations

import json

import pytest

from gossamer.adapters.local.home import index_folder
from tests.commands import complains, found, judged_folder, run_here, said


@pytest.fixture
def data(tmp_path):
    said("index", "--data", tmp_path / "data", judged_folder(tmp_path / "judged"))
    return tmp_path / "data"


@pytest.fixture
def file(data):
    [listed] = said("inspect", "--data", data)["segments"]
    folder = index_folder(data / "web.db")
    assert folder is not None
    return folder / listed["name"]


def test_the_segments_of_a_collection_are_listed(data):
    listed = said("inspect", "--data", data)
    text = run_here("inspect", "--data", data).stdout

    [segment] = listed["segments"]
    assert segment["documents"] == segment["live"] == listed["live"] > 1
    assert listed["bytes"] == segment["bytes"] > 100
    assert segment["name"] in text
    assert text.startswith("1 segment with ")


def test_what_is_in_a_segment_is_told_with_sizes_by_region(data, file):
    told = said("inspect", file)
    text = run_here("inspect", file).stdout

    regions = {region["name"]: region for region in told["regions"]}
    assert told["bytes"] == file.stat().st_size
    assert told["format"] == 2
    assert told["postings"] >= told["terms"] > 0
    assert told["columns"]["url"] == "text"
    assert {"ids", "terms", "postings", "positions", "stored"} <= regions.keys()
    assert 0.3 < sum(region["share"] for region in regions.values()) < 1
    assert told["documents"] == said("inspect", "--data", data)["live"]
    assert f"{told['terms']:,} terms" in text
    assert "postings" in text


def test_a_whole_segment_is_verified(file):
    done = run_here("inspect", file, "--verify")

    assert done.returncode == 0
    assert "every region has its checksum" in done.stdout


def test_every_damaged_region_is_named(file):
    octets = bytearray(file.read_bytes())
    octets[9] ^= 1  # the first region begins behind the magic
    file.write_bytes(octets)

    done = run_here("inspect", file, "--verify", "--json")

    told = json.loads(done.stdout)
    assert done.returncode == 1
    [damage] = told["damaged"]
    assert damage["region"] == told["regions"][0]["name"]
    assert file.name in damage["problem"]
    assert run_here("inspect", file).returncode == 0  # which reads no region


@pytest.mark.parametrize("harm", ["everywhere", "at the end", "nothing is left"])
def test_a_damaged_index_is_made_anew_from_the_stored_documents(data, file, harm):
    before = found(data, "steel")
    octets = bytearray(file.read_bytes())
    for at in range(len(octets)) if harm == "everywhere" else [-1]:
        octets[at] ^= 0x55
    file.write_bytes(b"" if harm == "nothing is left" else octets)
    assert run_here("search", "--data", data, "steel").returncode == 1

    said("reindex", "--data", data)

    assert found(data, "steel") == before != []


@pytest.mark.parametrize("content", [b"", b"no segment at all", b"x" * 100_000])
def test_what_is_no_segment_is_said(tmp_path, content):
    other = tmp_path / "other"
    other.write_bytes(content)

    done = run_here("inspect", other)

    assert (done.returncode, done.stdout) == (1, "")
    assert "other" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_that_is_not_there_and_a_check_of_nothing_are_refused(data, tmp_path):
    assert "missing" in complains("inspect", tmp_path / "missing")
    assert "SEGMENT" in complains("inspect", "--data", data, "--verify")
