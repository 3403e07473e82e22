"""The columns of learned lists: each finds its own values, under a name that the page gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.templates.extraction import extract
from gossamer.core.page.templates.learning.lists.list_learner import learn_list
from gossamer.core.page.values import Link, Money, in_words

if TYPE_CHECKING:
    from gossamer.core.page.templates.template import Template

URL = "https://a.test/ranking"
NAMES = ["Ann", "Bo", "Cy", "Di", "Ed", "Flo"]
HEADS = "<tr><th>Rank</th><th>Player name</th><th colspan=2>Points</th><th>Since</th></tr>"


def learned(page: str) -> Template:
    template = learn_list("list", page, URL)
    assert template is not None
    return template


def values(template: Template, page: str) -> list[dict[str, Any]]:
    found = [record.values for record in extract(template, page, URL)]
    return [{n: v for n, v in each.items() if not isinstance(v, Link)} for each in found]


def rows(form: str) -> str:
    return "".join(form.format(n=n, name=name, points=900 - n * 37, year=2001 + n)
                   for n, name in enumerate(NAMES, 1))  # fmt: skip


@pytest.mark.parametrize("heads", [f"<thead>{HEADS}</thead><tbody>", HEADS])
def test_cells_of_a_table_are_named_by_their_headers_whatever_is_in_them(heads: str):
    form = (
        "<tr><td>{n}</td><td><a href=/p/{name}>{name}</a></td><td><img src=/up.png></td>"
        "<td>{points} pts</td><td>{year}</td></tr>"
    )
    page = f"<table>{heads}{rows(form)}</table>"

    template = learned(page)

    assert values(template, page)[:2] == [
        {"rank_value": 1.0, "player_name": "Ann", "points": 863.0, "since": 2002.0},
        {"rank_value": 2.0, "player_name": "Bo", "points": 826.0, "since": 2003.0},
    ]
    assert (template.title, template.url) == ("{player_name}", "player_name_link")


def test_values_of_records_are_found_by_their_labels_where_some_are_missing():
    made = "<dt>Made in</dt><dd>{year}</dd>"
    form = "<div class=card><h3>{name}</h3><dl>MADE<dt>Price</dt><dd>${points}</dd></dl></div>"
    cards = [
        form.replace("MADE", made if n % 3 else "").format(name=name, points=n, year=1990 + n)
        for n, name in enumerate(NAMES)
    ]
    page = f"<div>{''.join(cards)}</div>"

    found = values(learned(page), page)

    assert found[0] == {"title": "Ann", "price": Money(0.0, "USD")}
    assert found[1] == {"title": "Bo", "made_in": 1991.0, "price": Money(1.0, "USD")}


def test_a_header_or_term_that_is_the_only_one_of_a_record_is_a_value():
    table = f"<table>{rows('<tr><th>{name}</th><td>{points}</td></tr>')}</table>"
    terms = f"<dl>{rows('<div><dt>{name}</dt><dd>{points}</dd></div>')}</dl>"

    for page in (table, terms):
        first = values(learned(page), page)[0]
        assert [*first.values()] == ["Ann", 863.0]


def test_what_all_texts_begin_with_is_their_label():
    form = "<div class=card><h3>{name}</h3><p>Made by: M{n}</p><p>Only ${points}.50</p></div>"
    page = f"<div>{rows(form)}</div>"

    assert values(learned(page), page)[0] == {
        "title": "Ann",
        "made_by": "M1",
        "price": Money(863.5, "USD"),
    }


def test_numbered_titles_stay_titles():
    page = f"<div>{rows('<div class=card><h3>Chapter {n}</h3><p>About {name}</p></div>')}</div>"

    assert values(learned(page), page)[0] == {"title": "Chapter 1", "text": "About Ann"}


CELLS = st.lists(
    st.sampled_from(
        [
            "<td>{0}</td>",
            "<td><a href=/x>{0}</a></td>",
            "<td><b>{0}</b></td>",
            "<td>{0}<br>{1}</td>",
            "<td><i>{0}</i> {1} <i>{2}</i></td>",
            "<td>\xa0<span>{0}</span>\xa0</td>",
            "<td class=c>{0}</td>",
            "<td class='c d'>{0}</td>",
            "<td class='d c'>{0}</td>",
            "<td></td>",
            "<td> <!-- no --> {0}</td>",
        ]
    ),
    min_size=1,
    max_size=7,
)


@given(CELLS)
def test_every_value_is_that_of_its_cell(cells: list[str]):
    if not any("{0}" in cell for cell in cells):
        return
    table, expected = "", []
    for row in range(5):
        said = [f"{letter}{row}{place}" for place in range(len(cells)) for letter in "pqr"]
        parts = [said[3 * place : 3 * place + 3] for place in range(len(cells))]
        table += f"<tr>{''.join(c.format(*p) for c, p in zip(cells, parts, strict=True))}</tr>"
        expected.append(
            [p[n] for c, p in zip(cells, parts, strict=True) for n in range(3) if f"{{{n}}}" in c]
        )
    page = f"<table>{table}</table>"

    found = values(learned(page), page)

    assert [[in_words(value) for value in each.values()] for each in found] == expected


def stories(first: int = 0) -> str:
    """Three rows for each story: its title, its votes, and nothing."""
    made = "".join(
        f"<tr class=thing><td>{n}.</td><td><a href=https://x{n}.test/>Story of {name}</a></td></tr>"
        f"<tr><td></td><td class=sub><b class=score>{n * 7} points</b> by <a href=/u/{name}>{name}"
        "</a></td></tr><tr class=spacer></tr>"
        for n, name in enumerate(NAMES, first + 1)
    )
    return f"<table>{made}<tr><td><a href='?p=2'>More</a></td></tr></table>"


def test_rows_that_take_turns_are_one_record():
    template = learned(stories())

    assert template.items == "tr.thing"
    found = [record.values for record in extract(template, stories(50), URL)]
    assert len(found) == len(NAMES)
    assert found[0]["title"] == "Story of Ann"
    assert found[0]["title_link"] == Link("https://x51.test/")
    assert found[0]["score_value"] == 357.0
    assert found[0]["sub"] == "Ann"


def test_rows_of_unlike_classes_that_do_not_take_turns_are_records_each():
    kinds = ["odd", "even", "new", "odd", "odd", "new", "even", "new", "odd", "even", "even", "new"]
    table = "".join(f"<tr class=is-{k}><td>p{n}</td><td>q{n}</td></tr>"
                    for n, k in enumerate(kinds))  # fmt: skip
    page = f"<table>{table}</table>"

    assert len(values(learned(page), page)) == len(kinds)
