"""The command `gossamer template learn`."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from gossamer.core.page.templates.extraction import extract
from gossamer.core.page.templates.template import read_template
from gossamer.core.page.values import Money
from gossamer.entrypoints.cli.main import main

PAGE = "<title>{0}</title><h1>{0}</h1><p>was $99.00</p><p class=price>${1}</p>"
THINGS = [("Blue lamp", "12.50"), ("Oak table", "240.00"), ("Red chair", "39.95")]
CARDS = "".join(
    f"<div class=card><h3 class=name>{n}</h3><p class=price>${p}</p></div>" for n, p in THINGS
)


@pytest.fixture(autouse=True)
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number, thing in enumerate(THINGS):
        Path(f"{number}.html").write_text(PAGE.format(*thing))
    Path("list.html").write_text(f"<h1>All</h1><div>{CARDS}</div>")


def marks(*numbers: int) -> list[str]:
    said = []
    for number in numbers:
        name, price = THINGS[number]
        said += [
            "--page",
            f"{number}.html",
            "--value",
            f"price={price}",
            "--value",
            f"title={name}",
        ]
    return said


def values(number: int) -> Mapping[str, object]:
    template = read_template(Path("shop.toml").read_text(), "shop.toml")
    return extract(template, Path(f"{number}.html").read_text(), "https://a.test/")[0].values


def test_a_template_is_learned_from_marked_pages_and_written(capsys: pytest.CaptureFixture[str]):
    code = main(["template", "learn", "shop", *marks(0, 1)])

    assert code == 0
    assert "gossamer template add shop.toml" in capsys.readouterr().out
    assert values(2) == {"price": Money(39.95, "USD"), "title": "Red chair"}


def test_learned_numbers_and_dates_are_sorted_by_unless_the_name_is_taken():
    Path("one.html").write_text("<p id=a>7 votes<p id=b>2024-05-31<p id=c>lamp")
    said = ["votes=7", "date=2024-05-31", "name=lamp"]
    marked = [word for value in said for word in ("--value", value)]

    assert main(["template", "learn", "shop", "--page", "one.html", *marked]) == 0

    fields = read_template(Path("shop.toml").read_text(), "shop.toml").fields
    assert {name: rule.sort for name, rule in fields.items()} == {
        "votes": True,
        "date": False,
        "name": False,
    }


def test_values_may_stand_in_a_csv_file():
    rows = [f"{number}.html,{name},{price}" for number, (name, price) in enumerate(THINGS[:2])]
    Path("marks.csv").write_text("\n".join(["page,title,price", *rows]))

    assert main(["template", "learn", "shop", "--csv", "marks.csv"]) == 0
    assert values(2) == {"price": Money(39.95, "USD"), "title": "Red chair"}


def test_a_list_is_learned_from_its_page(capsys: pytest.CaptureFixture[str]):
    assert main(["template", "learn", "shop", "--list", "list.html", "--json"]) == 0

    learned = json.loads(capsys.readouterr().out)
    found = [record["values"] for record in learned["preview"]["pages"][0]["records"]]
    assert [record["name"] for record in found] == [name for name, _ in THINGS]
    assert [record["price"]["amount"] for record in found] == [12.5, 240.0, 39.95]


def test_what_is_not_the_value_is_avoided():
    Path("0.html").write_text("<p>$1</p><b>$1</b>")
    Path("1.html").write_text("<p>$7</p><b>$8</b>")
    said = ["--page", "0.html", "--value", "price=$1", "--page", "1.html", "--not", "price=$7"]

    assert main(["template", "learn", "shop", *said]) == 0
    assert values(1) == {"price": Money(8, "USD")}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "say what stands where"),
        (["--value", "price=1"], "name its page before it"),
        (["--page", "0.html", "--value", "price"], "write FIELD=TEXT"),
        (["--page", "0.html", "--value", "price=77"], "write them as the pages show them"),
        (["--csv", "0.html"], "one of them `page`"),
        (["--csv", "none.csv"], "none.csv"),
    ],
)
def test_a_mistake_is_told(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]):
    assert main(["template", "learn", "shop", *arguments]) != 0
    assert said in capsys.readouterr().err
    assert not Path("shop.toml").exists()


def test_a_file_that_is_there_is_not_overwritten(capsys: pytest.CaptureFixture[str]):
    Path("shop.toml").write_text("mine")

    assert main(["template", "learn", "shop", *marks(0)]) != 0
    assert Path("shop.toml").read_text() == "mine"
