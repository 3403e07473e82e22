"""A small run of what `python -m scripts.bench pages` measures over real pages."""

import argparse
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.bench.failure import BenchFailure
from scripts.bench.questions.extract.pages import add_arguments, measure
from scripts.bench.questions.extract.word_overlap import overlap

PROSE = "The lighthouse keeper wrote down the weather every evening before the lamp was lit. " * 8


def settings(folder: Path, *options: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    own = parser.parse_args(["--pages", str(folder), "--no-peer", *options])
    own.cache, own.sites = folder, []
    return own


def write_page(file: Path, html: str, text: str, date: str = "") -> None:
    said = {"main_content": text, "publish_date": date}
    truth = {"url": "https://a.test/1", "ground_truth": said}
    with gzip.open(file, "at", encoding="utf-8", newline="\n") as lines:
        lines.write(json.dumps({"page": "1", "html": html, "truth": truth}) + "\n")


@given(st.text(), st.text())
def test_overlap_lies_between_nothing_and_everything_and_swaps_with_its_texts(a: str, b: str):
    one, other = overlap(a, b), overlap(b, a)

    assert 0 <= one.f1 <= 1
    assert (one.precision, one.recall) == (other.recall, other.precision)


def test_a_word_counts_as_often_as_both_texts_have_it():
    found = overlap("one one two", "One two two three")

    assert (found.precision, found.recall) == (2 / 3, 2 / 4)


def test_a_page_is_judged_by_its_text_and_date(tmp_path: Path):
    html = f"<title>T</title><main><time datetime=2024-05-06>6 May</time><p>{PROSE}</main>"
    write_page(tmp_path / "article.jsonl.gz", html, PROSE, "2024-05-06")
    write_page(tmp_path / "forum.jsonl.gz", "<p>something else</p>", PROSE)
    write_page(tmp_path / "forum.jsonl.gz", "<p>not judged</p>", "")

    rows = {row["type"]: row for row in measure(settings(tmp_path)).rows}

    assert float(rows["article"]["F1"]) > 0.9
    assert rows["article"]["dates"] == "1 of 1"
    assert (rows["forum"]["pages"], rows["forum"]["lost"]) == ("1", "1")


def test_a_folder_without_pages_is_refused(tmp_path: Path):
    with pytest.raises(BenchFailure, match="--pages names their folder"):
        measure(settings(tmp_path))
