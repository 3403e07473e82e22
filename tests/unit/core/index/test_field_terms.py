from __future__ import annotations

import pytest

from gossamer.core.index.anchors import NAMED
from gossamer.core.index.field_terms import SIGN, field_key, field_term, keeping_field, split_term
from gossamer.core.index.postings import AS_WRITTEN


def test_a_term_of_a_field_is_split_as_it_was_made():
    assert split_term(field_term("summary", "silk")) == ("summary", "silk")
    assert field_term("summary", "silk") == f"{field_key('summary')} silk"
    assert split_term("silk") == ("", "silk")


@pytest.mark.parametrize("word", ["silks", ":summary silks"])
def test_a_word_is_converted_without_its_field(word):
    assert keeping_field(lambda bare: bare[:-1])(word) == word[:-1]
    assert keeping_field(lambda _: "")(word) == ""


def test_terms_of_fields_sort_before_what_has_no_positions():
    assert "9" < SIGN < AS_WRITTEN < NAMED < "a"
