"""Learning a template from marked pages."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gossamer.core.page.templates.extraction import extract
from gossamer.core.page.templates.learning.learner import Learned, MarkedPage, learn
from gossamer.core.page.templates.template import read_template, to_toml
from gossamer.core.page.values import Money
from tests.unit.core.page.templates.learning.pages_of_a_shop import THINGS, marked, page

ROOT = Path(__file__).resolve().parents[6]


def learned_of(*names: str, pages: int = 3) -> Learned:
    return learn("shop", [marked(number, *names) for number in range(pages)])


def values(learned: Learned, number: int):
    (record,) = extract(learned.template, page(number), f"https://shop.test/thing/{number}")
    return record.values


@pytest.mark.parametrize("number", range(len(THINGS)))
def test_three_marked_pages_teach_what_stands_on_the_others(number: int):
    learned = learned_of("title", "price", "brand", "about")

    name, price, brand, about, _ = THINGS[number]
    assert values(learned, number) == {
        "title": name,
        "price": Money(float(price.replace(",", "")), "USD"),
        "brand": brand,
        "about": about,
    }
    assert set(learned.f1.values()) == {1}


def test_a_label_is_preferred_to_the_number_of_a_row():
    rule = learned_of("brand").template.fields["brand"]

    assert rule.select[0] == '//td[normalize-space(.) = "Brand"]/following-sibling::td[1]'


def test_what_a_page_does_not_have_is_not_taken_from_the_row_in_its_place():
    def rows(**said: str) -> str:
        cells = "".join(f"<tr><th>{name}</th><td>{text}</td></tr>" for name, text in said.items())
        return f"<body><h1>Thing</h1><table class=d>{cells}</table>"

    brands = ("Acme", "Bosch", "Corvina")
    marks = [
        MarkedPage(f"https://a.test/{brand}", rows(Brand=brand, Number=str(n)), {"brand": [brand]})
        for n, brand in enumerate(brands)
    ]

    learned = learn("shop", marks)

    def found(html: str) -> list[object]:
        (record,) = extract(learned.template, html, "https://a.test/x")
        return [record.values.get("brand")]

    assert found(rows(Number="7", Brand="Dunmore")) == ["Dunmore"]
    assert found(rows(Number="7", Colour="red")) == [None]


def test_a_class_is_preferred_to_a_way_from_the_top():
    rule = learned_of("price").template.fields["price"]

    assert rule.select[0] in ("p.price", "p.big")
    assert rule.clean == []


def test_a_value_inside_of_a_text_is_cut_out_at_what_surrounds_it_everywhere():
    learned = learned_of("about")

    assert learned.template.fields["about"].clean
    assert values(learned, 4)["about"] == "Made by hand"


def test_one_page_teaches_too():
    assert values(learned_of("brand", pages=1), 3)["brand"] == "Emaille"


def test_a_page_that_lacks_the_value_must_yield_none():
    pages = [
        MarkedPage(f"https://shop.test/thing/{number}", page(number), {"was": said})
        for number, said in enumerate([["13.50"], [], ["40.95"]])
    ]

    learned = learn("shop", pages)

    assert [values(learned, number).get("was") for number in (3, 4)] == [None, Money(1151, "USD")]
    assert not learned.template.fields["was"].required


def test_what_is_said_not_to_be_the_value_is_avoided():
    html = "<ul><li class=a>{0}</li></ul><p class=b>{0}{1}</p>"
    pages = [
        MarkedPage("https://a.test/1", html.format("red", ""), {"colour": ["red"]}),
        MarkedPage(
            "https://a.test/2", "<ul><li class=a>wrong</li></ul><p class=b>blue</p>",
            {"colour": []}, {"colour": ["wrong"]},
        ),
    ]  # fmt: skip

    learned = learn("a", pages).template

    assert extract(learned, pages[1].html, "https://a.test/2")[0].values == {"colour": "blue"}


def test_several_values_make_a_list():
    html = "<h1>Book</h1><p>{}</p><ul class=tags>{}</ul>"
    pages = [
        MarkedPage(
            f"https://b.test/{tags[0]}",
            html.format(len(tags), "".join(f"<li>{tag}</li>" for tag in tags)),
            {"tag": tags},
        )
        for tags in (["red", "new"], ["old"], ["blue", "big", "used"])
    ]

    learned = learn("b", pages)

    assert learned.template.fields["tag"].type == "list"
    four = html.format(4, "<li>a</li><li>b</li><li>c</li><li>d</li>")
    assert extract(learned.template, four, "https://b.test/x")[0].values == {"tag": list("abcd")}


def test_values_of_two_places_are_found_in_both():
    html = "<h1>{}</h1><hr><table><tr><td>Maker</td><td>{}</td></tr></table>"
    pages = [
        MarkedPage(f"https://c.test/{both[0]}", html.format(*both), {"m": both})
        for both in (["Canon", "Canon USA"], ["Sony", "Sony Inc"])
    ]

    record = extract(learn("c", pages).template, html.format("A", "A Ltd"), "https://c.test/3")[0]

    assert record.values == {"m": ["A", "A Ltd"]}


def test_what_stands_nowhere_is_lost_and_said_so():
    learned = learn("shop", [MarkedPage("https://shop.test/1", page(1), {"colour": ["mauve"]})])

    assert learned.lost == ["colour"]
    assert learned.template.fields == {}


def test_a_learned_template_is_one_that_can_be_read_again():
    template = learned_of("title", "price", "brand", "about").template

    assert read_template(to_toml(template), "shop.toml") == template
    assert template.match == ["https://shop.test/thing/*"]
    assert template.title == "{title}"


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<p>x</p>" * 30_000,
        "<div>" * 20_000 + "x",
        "<o:p class='\x01 \"'>x</o:p>",
        "<p id='a\"b&apos;c'>x</p><p class='é ü'>x</p>",
        "<p " + " ".join(f"a{n}=x" for n in range(5_000)) + ">x</p>",
    ],
)
def test_a_hostile_page_teaches_a_template_that_can_be_used_or_nothing(html: str):
    learned = learn("x", [MarkedPage("https://x.test/", html, {"v": ["x"]})] * 2)

    assert learned.lost or extract(learned.template, html, "https://x.test/")


LEARN = """
from gossamer.core.page.templates.learning.learner import learn
from gossamer.core.page.templates.template import to_toml
from tests.unit.core.page.templates.learning.pages_of_a_shop import marked
pages = [marked(number, "title", "price", "brand", "about") for number in range(3)]
print(to_toml(learn("shop", pages).template))
"""


def test_the_same_pages_teach_the_same_template_in_every_process():
    """Sets of texts are walked through in another order in each."""
    said = {
        subprocess.run(
            [sys.executable, "-c", LEARN],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(4)
    }

    assert len(said) == 1
