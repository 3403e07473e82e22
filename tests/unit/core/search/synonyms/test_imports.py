"""Are the files of WordNet and MyThes read as lists that can be stored?"""

from __future__ import annotations

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.core.search.synonyms.imports import import_list
from gossamer.core.search.synonyms.rules import rule_lines

# In the layout of the files, with words of our own.
WORDNET = b"""\
  1 This software and database is being provided to you
00000001 04 n 03 loom 0 weaving_frame 0 frame 1 002 @ 00000002 n 0000 ~ 00000003 n 0000 | a thing
00000002 04 n 01 alone 0 000 | nothing beside it
00000003 00 a 02 ready(p) 0 set(ip) 0 001 & 00000004 a 0000 | prepared
"""
MYTHES = """\
ISO8859-1
café|2
(noun)|coffee bar|tea room (similar term)|café
(noun)|bistro|place (generic term)
lonely|1
(adj)|glad (antonym)
broken line
""".encode("latin-1")


def test_the_words_of_a_meaning_in_wordnet_find_each_other():
    assert list(import_list(WORDNET, "data.noun")) == ["loom, weaving frame, frame", "ready, set"]


def test_a_word_of_mythes_finds_those_of_all_its_meanings_that_are_not_marked():
    assert list(import_list(MYTHES, "th.dat")) == ["café => coffee bar, bistro"]


def test_long_entries_become_several_lines_that_can_be_stored():
    words = "|".join(f"{'x' * 190}{number}" for number in range(80))
    body = f"UTF-8\nlong|1\n(noun)|{words}\n".encode()

    lines = list(import_list(body, "th.dat"))

    assert len(lines) > 1
    assert len(rule_lines("\n".join(lines), "f")) == len(lines)
    assert sum(line.count("x" * 190) for line in lines) == 80


@pytest.mark.parametrize("body", [b"", b"hello\nworld\n", b"\xff\xfe\x00", b"base64\nx"])
def test_other_files_are_refused_with_what_is_known(body: bytes):
    with pytest.raises(ConfigurationError, match=r"th\.txt: not a list .* MyThes"):
        list(import_list(body, "th.txt"))
