"""Forms of the words of Hunspell dictionaries."""

from __future__ import annotations

import pytest

from scripts.hunspell_forms import read_forms

AFFIXES = """
SET UTF-8
NEEDAFFIX X
FORBIDDENWORD F
PFX U Y 1
PFX U 0 un .
PFX R N 1
PFX R 0 re .
SFX S Y 2
SFX S y ies [^aeiou]y
SFX S 0 s [^y]
SFX L Y 1
SFX L 0 able/N .
SFX N Y 1
SFX N le ility able
"""


@pytest.fixture
def expand(tmp_path):
    def forms(*entries: str, affixes: str = AFFIXES) -> set[str]:
        (tmp_path / "index.aff").write_text(affixes)
        (tmp_path / "index.dic").write_text("\n".join([str(len(entries)), *entries]))
        return set(read_forms(tmp_path / "index.dic"))

    return forms


def test_suffixes_follow_their_conditions(expand):
    assert expand("berry/S", "day/S", "pin/S") == {"berry", "berries", "day", "pin", "pins"}


def test_a_suffix_takes_another(expand):
    assert expand("read/L") == {"read", "readable", "readability"}


def test_prefixes_cross_suffixes_if_both_allow_it(expand):
    assert expand("pin/US") == {"pin", "pins", "unpin", "unpins"}
    assert expand("pin/RS") == {"pin", "pins", "repin"}


def test_a_stem_that_needs_an_affix_is_no_word(expand):
    assert expand("berr/X", "pin/XS") == {"pins"}


def test_forbidden_words_are_left_out_though_affixes_form_them(expand):
    assert expand("sheep/S", "sheeps/F", "wrnog/FS") == {"sheep"}


def test_flags_may_have_two_characters_or_be_numbers(expand):
    long = "SET UTF-8\nFLAG long\nSFX Aa Y 1\nSFX Aa 0 s .\n"
    numbers = "SET UTF-8\nFLAG num\nSFX 11 Y 1\nSFX 11 0 s .\n"

    assert expand("pin/BbAa", affixes=long) == {"pin", "pins"}
    assert expand("pin/1,11", affixes=numbers) == {"pin", "pins"}


def test_aliases_and_morphological_fields_are_read(expand):
    aliases = "SET UTF-8\nAF 2\nAF S # 1\nAF X # 2\nSFX S Y 1\nSFX S 0 s . is:plural\n"

    assert expand("pin/1 po:noun", "tin\tpo:noun", affixes=aliases) == {"pin", "pins", "tin"}
