"""A part is read back as it was written, and damage to it is found."""

from __future__ import annotations

import io

import pytest

from gossamer.core.errors import CorruptRecord
from gossamer.core.index.segments import runs
from gossamer.core.index.segments.runs import (
    pack_stored_run,
    pack_terms,
    read_stored_run,
    read_terms,
)
from gossamer.core.index.segments.stored import Stored, write_stored
from gossamer.core.index.segments.writer import TermWriter
from tests.unit.core.index.segments.making import Doc, Files, table_of, use_small_parts

DOCS = [
    Doc(bytes([number]) * 16, terms=(("moth", 9, (1, 2)), (f"term{number:02}", 5, (3,))))
    for number in range(20)
]
STORED = [Stored(f"http://a.test/{number}", text="silk " * number) for number in range(20)]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch):
    use_small_parts(monkeypatch)
    monkeypatch.setattr(runs, "PIECE", 16)
    monkeypatch.setattr(runs, "COPIED", 7)


def terms_part() -> tuple[bytes, TermWriter]:
    writing = TermWriter()
    writing.add(table_of(DOCS))
    return b"".join(pack_terms(writing.written)), writing


def read_whole(packed: bytes) -> list[bytes]:
    return [file.read() for file in read_terms("it", Files(it=packed).fetch).files.values()]


@pytest.mark.parametrize("beginning", [1 << 16, 40])
def test_a_run_of_terms_is_read_as_it_was_written(monkeypatch, beginning):
    monkeypatch.setattr(runs, "BEGINNING", beginning)
    packed, writing = terms_part()

    run = read_terms("it", Files(it=packed).fetch)

    for name, file in writing.written.files.items():
        file.seek(0)
        run.files[name].seek(0)
        assert run.files[name].read() == file.read()
    assert (run.first_terms, run.sizes) == (writing.written.first_terms, writing.written.sizes)
    assert (run.terms, run.postings, run.positions) == (21, 40, 60)


def test_a_run_of_documents_is_read_as_it_was_written():
    run = write_stored(STORED, io.BytesIO())
    packed = b"".join(pack_stored_run(run))

    again = read_stored_run("it", Files(it=packed).fetch)

    run.file.seek(0)
    assert again.file.read() == run.file.read()
    assert (again.counts, again.sizes) == (run.counts, run.sizes)
    assert sum(run.counts) == 20
    assert len(run.counts) > 3


def test_a_file_can_be_read_again_from_its_beginning_only():
    run = read_terms("it", Files(it=terms_part()[0]).fetch)
    file = run.files["terms"]
    first = file.read()
    file.seek(0)

    assert file.read() == first != b""
    with pytest.raises(io.UnsupportedOperation):
        file.raw.seek(3)  # type: ignore[attr-defined]


def test_damage_to_any_byte_is_found():
    packed, _ = terms_part()

    for place in range(len(packed)):
        damaged = bytearray(packed)
        damaged[place] ^= 1
        with pytest.raises(CorruptRecord, match="the part it is damaged"):
            read_whole(bytes(damaged))


def test_a_part_that_was_cut_off_is_found():
    packed, _ = terms_part()

    for end in range(len(packed)):
        with pytest.raises(CorruptRecord, match="the part it is damaged"):
            read_whole(packed[:end])
