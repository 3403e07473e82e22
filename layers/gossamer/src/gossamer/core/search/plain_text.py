"""Queries of people who do not know the query language: what cannot be read is searched as text.

Whatever was understood otherwise than it may have been meant is said in a note.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from gossamer.core.errors import QueryError
from gossamer.core.search.lexemes import (
    MAX_TERMS,
    FieldNames,
    LexemeKind,
    check,
    find_terms,
    lexemes,
)
from gossamer.core.search.query import Or, Query, Word, parse_query

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_signs_at_ends = re.compile(r"^[^\w.+#]+|[^\w+#]+$").sub
_star_inside = re.compile(r"[^\W_]\*+[^\W_]").search
_number_in_field = re.compile(r"([A-Za-z][A-Za-z0-9_]*):\d").match


def read_query(text: str, declared: Mapping[str, str] = {}) -> Query:
    """A query; of one that cannot be read, its words. Only what is too long is an error.

    `declared`: the fields that the collection declares, with the types of their values.
    """
    try:
        query = parse_query(text, declared)
        notes = [*_unknown_fields(text, FieldNames(declared)), *_notes(text)]
    except QueryError as error:
        query = _words_of(text, error)
        notes = [*query.notes, *_notes(text)]
    return replace(query, notes=tuple(notes))


def _words_of(text: str, error: QueryError) -> Query:
    check(text)
    words = [stripped for word in text.split() if (stripped := _signs_at_ends("", word))]
    words = [word for word in words if find_terms(word)]
    if not words or sum(len(find_terms(word)) for word in words) > MAX_TERMS:
        raise error
    parts = tuple(map(Word, words))
    note = f"{error.message}: all of it was searched as plain words"
    return Query(parts[0] if len(parts) == 1 else Or(parts), "ranked", text, (note,))


def _unknown_fields(text: str, fields: FieldNames) -> Iterator[str]:
    """Words that may be meant for a field that is not there, and may be just text: price:100."""
    for lexeme in lexemes(text, fields) if ":" in text else ():
        if lexeme.kind is LexemeKind.WORD and (found := _number_in_field(lexeme.text)):
            yield f'there is no field "{found[1]}": "{lexeme.text}" was searched as text'


def _notes(text: str) -> Iterator[str]:
    if _star_inside(text):
        yield "a star stands for more letters only at the end of a word"
