"""Read queries as people mean them who do not know the query language.

Text is ranked, whatever signs stand in it; only an operator makes it boolean
(`core.search.typed_lexemes`). What cannot be read is searched as text. Whatever was understood
otherwise than it may have been meant is said in a note.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from gossamer.core.errors import QueryError
from gossamer.core.search.lexemes import (
    MAX_TEXT,
    FieldNames,
    LexemeKind,
    check,
    check_terms,
    find_terms,
    unknown_field,
)
from gossamer.core.search.query import (
    Or,
    Phrase,
    Prefix,
    Query,
    Word,
    parse_lexemes,
    parse_query,
    similar_word,
)
from gossamer.core.search.typed_lexemes import read_typed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gossamer.core.search.lexemes import Lexeme
    from gossamer.core.search.query import Node
    from gossamer.core.search.typed_lexemes import TypedText

_signs_at_ends = re.compile(r"^[^\w.+#]+|[^\w+#]+$").sub
_star_inside = re.compile(r"[^\W_]\*+[^\W_]").search
_number_in_field = re.compile(r"([A-Za-z][A-Za-z0-9_]*):\d").match


def read_query(text: str, declared: Mapping[str, str] = {}, *, is_strict: bool = False) -> Query:
    """Return a typed query; of one that cannot be read, its words.

    Only what is too long, or has no words, is an error; with `is_strict` it is read in the exact
    language, and whatever breaks its grammar is one, too. `declared`: the fields that the
    collection declares, with the types of their values.
    """
    fields = FieldNames(declared)
    if is_strict:
        query = parse_query(text, declared)
    else:
        check(text, MAX_TEXT)
        query = _query_of(read_typed(text, fields), text, fields)
    notes = [*query.notes, *_unknown_fields(text, fields), *_notes(text)]
    return replace(query, notes=tuple(dict.fromkeys(notes)))


def read_words(text: str) -> Query:
    """Return all words of a text as a ranked query, whatever signs stand between them."""
    words = [stripped for word in text.split() if (stripped := _signs_at_ends("", word))]
    parts = tuple([Word(word) for word in words if find_terms(word)])
    if not parts:
        raise QueryError("type something to search for", 0)
    return Query(parts[0] if len(parts) == 1 else Or(parts), "ranked", text)


def _query_of(typed: TypedText, text: str, fields: FieldNames) -> Query:
    if not typed.is_exact:
        return _ranked(typed, text)
    try:
        check(text)
        check_terms(typed.lexemes)
        return Query(parse_lexemes(typed.lexemes, fields), "boolean", text)
    except QueryError as error:
        note = f"{error.message}: all of it was searched as plain words"
        return replace(read_words(text), notes=(note,))


def _ranked(typed: TypedText, text: str) -> Query:
    nodes = tuple(map(_leaf, typed.operands()))
    if not nodes:
        raise QueryError("type something to search for", 0)
    is_one = len(nodes) == 1 and not isinstance(nodes[0], Phrase)
    return Query(nodes[0] if is_one else Or(nodes), "ranked", text, typed.notes)


def _leaf(lexeme: Lexeme) -> Node:
    match lexeme.kind:
        case LexemeKind.PHRASE:
            return Phrase(lexeme.text)
        case LexemeKind.PREFIX:
            return Prefix(lexeme.text)
        case LexemeKind.SIMILAR:
            return similar_word(lexeme.text)
        case _:
            return Word(lexeme.text)


def _unknown_fields(text: str, fields: FieldNames) -> Iterator[str]:
    """Name words that may be meant for a field that is not there, and may be just text."""
    typed = read_typed(text, fields) if ":" in text else None
    for lexeme in typed.lexemes if typed else ():
        if lexeme.kind is LexemeKind.WORD and ":" in lexeme.text:
            match = _number_in_field(lexeme.text)
            name = unknown_field(lexeme.text, fields) or (match[1] if match else "")
            if name:
                yield f'there is no field "{name}": "{lexeme.text}" was searched as text'


def _notes(text: str) -> Iterator[str]:
    if _star_inside(text):
        yield "a star stands for more letters only at the end of a word"
