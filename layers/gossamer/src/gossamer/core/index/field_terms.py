"""Terms of declared text fields.

Every word of a declared field is also indexed under its field's name, as ":summary silk", so that
`summary:silk` is one list like any other, whatever other fields a collection declares before or
after. A field that plain words are not looked for in has only these terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

# No word contains this. It sorts behind digits and before what stands for words as written and for
# names, so that terms of fields are among those that have positions.
SIGN: Final = ":"


def field_key(field: str) -> str:
    """What terms of a field begin with, without the space behind."""
    return SIGN + field


def field_term(field: str, term: str) -> str:
    """The term of a word in a field."""
    return f"{SIGN}{field} {term}"


def split_term(term: str) -> tuple[str, str]:
    """The field of a term and the bare term; no field for a term of all fields."""
    if not term.startswith(SIGN):
        return "", term
    field, _, bare = term[1:].partition(" ")
    return field, bare


def keeping_field(convert: Callable[[str], str]) -> Callable[[str], str]:
    """What converts words, for words of fields too; what it leaves out stays out."""

    def converted(word: str) -> str:
        field, bare = split_term(word)
        found = convert(bare)
        return field_term(field, found) if field and found else found

    return converted
