"""Are facets readable in a terminal, and plain for other programs?"""

from __future__ import annotations

from gossamer.core.search.result import FacetValue
from gossamer.entrypoints.cli.facet_table import BAR, bar, facet_lines

FACETS = {
    "site": [FacetValue("docs.example.org", 1200), FacetValue("b.test", 3)],
    "lang": [FacetValue("en", 600)],
    "kind": [],
}


def test_without_a_terminal_values_and_counts_stand_in_columns():
    assert list(facet_lines(FACETS)) == [
        "",
        "site",
        "  docs.example.org  1,200",
        "  b.test                3",
        "",
        "lang",
        "  en                  600",
        "",
        "kind: none",
    ]


def test_in_a_terminal_bars_compare_the_values_of_a_facet():
    lines = list(facet_lines(FACETS, ("<", ">")))

    assert lines[2].endswith(f"1,200  <{'█' * BAR}>")
    assert lines[3].endswith("    3  <▏>")
    assert lines[6].endswith(f"  600  <{'█' * BAR}>")


def test_a_bar_is_as_long_as_its_share_and_never_empty():
    assert bar(50, 100) == "█" * (BAR // 2)
    assert bar(1, 10_000) == "▏"
    assert bar(0, 0) == ""


def test_values_of_strangers_are_cut_and_made_harmless():
    [_, _, line] = facet_lines({"brand": [FacetValue("\x1b[2J" + "x" * 100, 1)]})

    assert "\x1b" not in line
    assert len(line) < 60
