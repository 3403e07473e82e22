"""Values beside their labels: learned from three pages, right where rows come, go and move."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, TypeAlias

import pytest

from gossamer.core.page.templates.extraction import extract
from gossamer.core.page.templates.learning.learner import MarkedPage, learn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Rows: TypeAlias = "Sequence[tuple[str, str]]"
MARKED = ("Main colour", "Weight")
LESSONS = (1, 2, 4)  # neither is always the first row, or the last


def _each(form: str) -> Callable[[Rows], str]:
    return lambda rows: "".join(form.format(k=label, v=value) for label, value in rows)


def _columns(rows: Rows) -> str:
    heads, cells = _each("<th>{k}</th>")(rows), _each("<td>{v}</td>")(rows)
    return f"<table><tr>{heads}</tr><tr>{cells}</tr></table>"


FORMS: dict[str, Callable[[Rows], str]] = {
    "terms": lambda rows: f"<dl>{_each('<dt>{k}</dt><dd>{v}</dd>')(rows)}</dl>",
    "header of a row": lambda rows: (
        f"<table>{_each('<tr><th>{k}</th><td>{v}</td></tr>')(rows)}</table>"
    ),
    "cells": lambda rows: (
        f"<table>{_each('<tr><td><b>{k}:</b></td><td><i>{v}</i></td></tr>')(rows)}</table>"
    ),
    "header of a column": _columns,
    "neighbours in a row": _each("<div><span>{k}</span><span>{v}</span></div>"),
    "neighbours in a line": lambda rows: (
        f"<p>{_each('<span>{k}</span><span>{v}</span>')(rows)}</p>"
    ),
    "neighbours that are alike": _each(
        "<div class=r><p>{k}</p></div><div class=r><p>{v}</p></div>"
    ),
    "a text after a label": lambda rows: f"<div>{_each('<b>{k}:</b> {v}<br>')(rows)}</div>",
    "one text": lambda rows: f"<ul>{_each('<li>{k}: {v}</li>')(rows)}</ul>",
    "one sentence": lambda rows: f"<p>{_each('{k}: {v}, ')(rows)[:-2]}.</p>",
    "one text of lines": lambda rows: f"<p>{_each('{k}: {v}<br>')(rows)}</p>",
}


def facts(number: int) -> dict[str, str]:
    pick = Random(number)
    return {
        "Main colour": ("blue", "red", "green")[number % 3],
        "Weight": f"{pick.randint(100, 999)} g",
        "Brand": pick.choice(["Acme", "Silky", "Nord"]),
        "Size": f"{pick.randint(10, 99)}-{pick.randint(10, 99)}",
        "Maker number": f"M{pick.randint(1000, 9999)}",
    }


def page(form: Callable[[Rows], str], number: int, blank: str = " ") -> str:
    """Some of the facts, in another order on each page; labels have blanks in and behind them."""
    pick, rows = Random(-number), [*facts(number).items()]
    others = [row for row in rows if row[0] not in MARKED][: pick.randint(1, 3)]
    kept = [row for row in rows if row[0] in MARKED] + others
    pick.shuffle(kept)
    kept = [(label.replace(" ", blank) + blank.strip(" "), value) for label, value in kept]
    return f"<h1>Thing {number}</h1><p>It is nice, number {number}.</p>{form(kept)}<p>Bye</p>"


def named(number: int) -> dict[str, str]:
    """The marked facts by the names of their fields."""
    return {name.lower().replace(" ", "_"): facts(number)[name] for name in MARKED}


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u202f", "\u2009", "\u3000"])
@pytest.mark.parametrize("form", FORMS.values(), ids=[*FORMS])
def test_a_value_is_found_beside_its_label(form: Callable[[Rows], str], blank: str):
    marked = [
        MarkedPage(
            f"https://x.test/{n}",
            page(form, n, blank),
            {name: [value] for name, value in named(n).items()},
        )
        for n in LESSONS
    ]

    template = learn("things", marked).template

    for number in range(5, 40):
        (record,) = extract(template, page(form, number, blank), f"https://x.test/{number}")
        assert record.values == named(number), number
