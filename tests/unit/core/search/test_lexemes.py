from __future__ import annotations

import pytest

from gossamer.core.search.lexemes import FieldNames, LexemeKind, lexemes

WORD, FIELD, NOT = LexemeKind.WORD, LexemeKind.FIELD, LexemeKind.NOT
DECLARED = {"price": "float", "brand": "keyword", "released": "day"}


def cut(text: str) -> list[tuple[LexemeKind, str]]:
    return [(lexeme.kind, lexeme.text) for lexeme in lexemes(text, FieldNames(DECLARED))]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("price:-5", [(FIELD, "price"), (WORD, "-5")]),
        ("-price:-5..-1", [(NOT, "-"), (FIELD, "price"), (WORD, "-5..-1")]),
        ("brand:-acme", [(FIELD, "brand"), (NOT, "-"), (WORD, "acme")]),
        ("price: -silk", [(FIELD, "price"), (NOT, "-"), (WORD, "silk")]),
        ("Released:2024", [(FIELD, "released"), (WORD, "2024")]),
    ],
)
def test_a_minus_is_a_sign_where_a_field_of_numbers_has_its_value(text, pieces):
    assert cut(text) == pieces


def test_every_piece_says_where_it_stands():
    text = "silk -price:<5"

    found = list(lexemes(text, FieldNames(DECLARED)))

    assert [text[each.start : each.end] for each in found] == ["silk", "-", "price:", "<5"]
