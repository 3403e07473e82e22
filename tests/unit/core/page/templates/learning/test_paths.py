"""Ways to a value: what is found by hand is what libxml2 finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.templates.element_text import text_of
from gossamer.core.page.templates.learning.candidates import paths_to
from gossamer.core.page.templates.learning.costs import cost_of
from gossamer.core.page.templates.learning.occurrences import occurrences
from gossamer.core.page.templates.learning.page_view import view_of
from gossamer.core.page.templates.learning.paths import Label, Mark, Path, Step, Top, quoted
from gossamer.core.page.templates.selecting import page_tree, select

PAGES = [
    "<div id=a><p class='b c'>x</p><p>y</p></div><p class=b>x</p>",
    "<table><tr><td>Name:</td><td>x</td></tr><tr><td>Other:</td><td><b>x</b></td></tr></table>",
    "<ul><li><b>Name:</b> x<br>z</li><li><b>Other:</b> y, x</li></ul><h1>x</h1>",
    "<dl><dt>Name</dt><dd><span itemprop=name>x</span></dd></dl><meta property='a:b' content=x>",
    "<div><script>var x</script>Name: x</div><div>Name: <i>x</i> and more</div>",
]


def read(nodes: list[object]) -> list[str]:
    lines = (
        " ".join(node.split()) if isinstance(node, str) else text_of(node, 5_000) for node in nodes
    )
    return [line for line in lines if line]


@pytest.mark.parametrize("html", PAGES)
def test_every_path_finds_what_its_selector_finds(html: str):
    root = page_tree(html)
    view = view_of(root)

    for place in occurrences(view, "x"):
        for path in set(paths_to(view, place)):
            assert path.values(view) == read(select(path.selector(), root)), path.selector()


@given(st.text(min_size=1, alphabet="ab'\" "))
def test_a_quoted_text_is_the_text(text: str):
    assert select(f"({quoted(text)})", page_tree("")) == [text]


@pytest.mark.parametrize(
    ("path", "selector"),
    [
        (Path(Mark("p", "class", "price")), "p.price"),
        (Path(Mark("p", "id", "1")), 'p[id="1"]'),
        (Path(Mark("div", "id", "a"), (Step("p"), Step("b"))), "div#a > p > b"),
        (Path(Mark("div", "id", "a"), (Step("p", 2),)), '//div[@id = "a"]/p[2]'),
        (Path(Top(), (Step("body"),)), "/html/body"),
        (Path(Label("b", "A", "i")), '//b[normalize-space(.) = "A"]/following-sibling::i[1]'),
        (
            Path(Label("b", "A", "i"), blanks="\u00a0\u3000"),
            '//b[normalize-space(translate(., "\u00a0\u3000", "  ")) = "A"]'
            "/following-sibling::i[1]",
        ),
    ],
)
def test_a_path_is_said_in_css_if_that_is_enough(path: Path, selector: str):
    assert path.selector() == selector


def test_a_mark_is_cheaper_than_a_label_than_a_number_than_the_way_from_the_top():
    paths = [
        Path(Mark("p", "itemprop", "price")),
        Path(Label("td", "Price", "td")),
        Path(Mark("div", "id", "a"), (Step("p", 2),)),
        Path(Top(), (Step("body"), Step("p", 2))),
    ]

    assert sorted(paths, key=cost_of) == paths
