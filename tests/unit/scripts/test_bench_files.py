"""Are the files of the benchmark what they are called?"""

from __future__ import annotations

import itertools

from scripts.bench.worlds.hostile_files import PDF, hostile_files, text_pdf
from tests.read_files import parsed


def test_a_pdf_with_text_has_its_pages_and_words():
    [document] = parsed(text_pdf(3), PDF).documents

    assert document.values["pages"] == 3
    assert len(document.text.split("\f")) == 3
    assert len(document.text.split()) == 3 * 45 * 11
    assert text_pdf(3) == text_pdf(3)


def test_a_bomb_is_small_and_has_a_type():
    for bomb in itertools.islice(hostile_files(), 1, 2):
        assert len(bomb.body) < 10_000
        assert bomb.media_type == PDF
