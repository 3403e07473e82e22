"""Do the commands about templates end, whatever template, page or file they are given?

Each of them says in one line what was too much; none ends by being killed from outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.core.crawl.job import JobConfig
from gossamer.entrypoints.cli.templates import bounded, exchanging, healing, learning
from tests.commands import complains, run_here, said
from tests.e2e.crawls import crawl
from tests.e2e.test_hostile_templates import ENDLESS
from tests.sites.generated import Resource, Site

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sites.generated import Server

MANY = "<title>t</title><h1>lamp</h1>" + "<p class=price>12.50</p>" * 20_000
ROW = "<tr>" + "<td>12.50" * 20
LONG = {
    "a million cells": "<table>" + ROW * 50_000,
    "a value three hundred thousand times": MANY * 15,
}
PAGES = {
    "many cells": "<table>" + ROW * 2_000,
    "elements in each other": "<title>t</title>" + "<div class=card>12.50 " * 100_000,
    "items in each other": "<title>t</title>" + "<ul><li>12.50 " * 5_000,
    "a value everywhere": MANY,
    "many attributes": f"<p {' '.join(f'a{n}=12.50' for n in range(100_000))}>12.50",
    "two bases": "<base href=/a/><base href=/b/><ul>" + "<li><a href=x>12.50</a>" * 9 + "</ul>",
    "no text": "<p>" * 100_000,
    "nothing": "",
    "zeros": "\0" * 100_000 + "12.50",
}
LEAST = 'match = "a.test/*"\n'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Templates are written into the folder where people are."""
    monkeypatch.chdir(tmp_path)


def file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("template", "slow"),
    [
        (f'[fields.fine]\nselect = "p"\n[fields.x]\nselect = "{ENDLESS}"', "`fields.x`"),
        (f'items = "{ENDLESS}"\n[fields.x]\nselect = "."', "`items`"),
    ],
)
def test_a_selector_without_end_is_named_when_it_is_tried(template, slow, tmp_path, monkeypatch):
    monkeypatch.setattr(bounded, "PAGE_SECONDS", 2.0)
    shop = file(tmp_path, "shop.toml", LEAST + template)
    page = file(tmp_path, "page.html", MANY)

    told = complains("template", "test", shop, page)

    assert "template 'shop' takes more than 2 seconds" in told
    assert f"{slow} is too slow: name elements by a class or an id" in told


def test_examples_of_a_template_have_the_same_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(bounded, "PAGE_SECONDS", 1.0)
    page = file(tmp_path, "page.html", MANY)
    example = f'[[examples]]\npage = "{page}"\nexpect = {{ x = 1 }}\n'
    shop = file(tmp_path, "shop.toml", f'{LEAST}{example}[fields.x]\nselect = "{ENDLESS}"\n')

    assert "`fields.x` is too slow" in complains("template", "test", shop)


@pytest.mark.parametrize(
    "field",
    [
        'select = "p"\nclean = ["(p*)*q", "((1|2)*)*x", ".*.*.*.*.*=.*"]',
        'from = "url:(.*)*.*(.*)*x"',
        'select = "p"\ntype = "list"\nof = "number"',
        f'select = "{"(" * 300 + "//p" + ")" * 300}"',
    ],
)
def test_expressions_that_are_slow_elsewhere_are_not_here(field, tmp_path):
    shop = file(tmp_path, "shop.toml", f"{LEAST}[fields.x]\n{field}\n")
    page = file(tmp_path, "page.html", f"<p>{'1' * 1_000_000}" + "<p>2" * 10_000)

    done = run_here("template", "test", shop, page)

    assert done.returncode in (0, 2)
    assert done.stderr.count("\n") <= 1, done.stderr


@pytest.mark.parametrize(
    "field",
    [
        'clean = "((a{999}){999}){999}"',
        f'select = "{"a" * 2_001}"',
        'select = "//p[re:test(., 1)]"',
    ],
)
@pytest.mark.parametrize("command", ["test", "add"])
def test_what_would_be_too_much_is_refused_by_each_command_with_its_place(
    field, command, tmp_path, data
):
    shop = file(tmp_path, "shop.toml", f"{LEAST}[fields.x]\n{field}\n")

    assert f"{shop}: fields.x" in complains("template", "--data", data, command, shop)


def test_a_template_of_ten_thousand_fields_is_refused_by_each_command(tmp_path, data):
    fields = "".join(f"[fields.f{n}]\nselect = 'b'\n" for n in range(10_000))
    many = file(tmp_path, "many.toml", LEAST + fields)
    some = file(tmp_path, "some.toml", LEAST + fields[:20_000].rpartition("[")[0])

    for command in ("test", "add"):
        told = complains("template", "--data", data, command, many)
        assert "a template has at most 100,000 bytes" in told
        assert "at most 64 fields" in complains("template", "--data", data, command, some)


@pytest.mark.parametrize(
    "page",
    [
        *(pytest.param(page, id=name) for name, page in PAGES.items()),
        *(pytest.param(page, id=name, marks=pytest.mark.long) for name, page in LONG.items()),
    ],
)
def test_learning_and_beginning_end_on_every_page(page, tmp_path):
    path = file(tmp_path, "page.html", page)
    mark = ("--page", path, "--value", "price=12.50", "--not", "price=13")

    for command in (("learn", "marked", *mark), ("learn", "listed", "--list", path), ("new", path)):
        done = run_here("template", *command)
        assert done.returncode in (0, 2)
        assert done.stderr.count("\n") == (done.returncode == 2), done.stderr


@pytest.mark.parametrize("way", ["--page", "--list"])
def test_learning_that_takes_too_long_is_ended(way, tmp_path, monkeypatch):
    monkeypatch.setattr(learning, "SECONDS", 0.05)
    page = file(tmp_path, "page.html", LONG["a million cells"])
    marks = ("--value", "price=12.50") if way == "--page" else ()

    told = complains("template", "learn", "shop", way, page, *marks)

    assert "learning takes more than 0.05 seconds" in told
    assert not (tmp_path / "shop.toml").exists()


def test_files_larger_than_a_page_are_not_read(tmp_path):
    huge = file(tmp_path, "huge.html", "x" * (JobConfig().max_bytes + 1))

    for command in (("new", huge), ("learn", "shop", "--list", huge)):
        assert "a page has at most 10,000,000 bytes" in complains("template", *command)


def test_marks_in_a_file_that_is_none_are_refused(tmp_path):
    page = file(tmp_path, "page.html", MANY)
    wide = file(tmp_path, "wide.csv", f"page,x\n{page}," + "1" * 1_000_000)
    other = file(tmp_path, "other.csv", "a,b\n1,2\n")

    told = complains("template", "learn", "shop", "--csv", wide)
    assert "field larger than field limit" in told
    assert "one of them `page`" in complains("template", "learn", "shop", "--csv", other)


def test_a_name_of_yaml_that_stands_for_billions_is_ended(tmp_path, monkeypatch):
    pytest.importorskip("yaml")
    monkeypatch.setattr(exchanging, "SECONDS", 2.0)
    ten = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
    rule = "{action: set, field_name: x, value: *a29}"
    sets = f"[{{url: 'https://a.test', extraction_rulesets: [{{rules: [{rule}]}}]}}]"
    bomb = file(tmp_path, "bomb.yml", f"a0: &a0 lol\n{ten}domains: {sets}\n")

    assert "reading it takes too long" in complains("template", "import", bomb)


def test_healing_by_a_template_without_end_is_ended(server: Server, data, tmp_path, monkeypatch):
    site = Site(server.origin())
    names = [f"p/{number}" for number in range(4)]
    for text in ("12.50", "13.50"):
        site.resources[site.seed] = Resource(body="".join(f"<a href=/{n}>" for n in names).encode())
        site.resources |= {
            f"{site.origin}/{name}": Resource(body=f"{name}{MANY}{text}".encode()) for name in names
        }
        server.publish(site)
        if text == "12.50":
            crawl(site.seed, data, index=True)
        else:
            said("recrawl", "--data", data, "--min-interval", 0, "--max-interval", 0)
    template = f'match = "{site.origin}/p/*"\n[fields.x]\nselect = "{ENDLESS}"\n'
    said("template", "--data", data, "add", file(tmp_path, "bad.toml", template))
    monkeypatch.setattr(bounded, "PAGE_SECONDS", 0.5)

    told = complains("template", "--data", data, "heal", "bad")

    assert "'bad' takes more than 0.5 seconds on some pages" in told
    assert f"`gossamer template test bad {site.origin}/p/" in told


def test_learning_again_that_takes_too_long_is_ended(server, data, tmp_path, monkeypatch):
    site = Site(server.origin())
    template = f'match = "{site.origin}/p"\n[fields.x]\nselect = ".price"\ntype = "list"\n'
    path = file(tmp_path, "shop.toml", template)
    for number, kind in enumerate(("price", "cost")):
        site.resources[site.seed] = Resource(body=b"<a href=/p>p</a>")
        text = MANY.replace("price", kind)
        site.resources[f"{site.origin}/p"] = Resource(body=f"{number}{text}".encode())
        server.publish(site)
        if number:
            said("recrawl", "--data", data, "--min-interval", 0, "--max-interval", 0)
        else:
            crawl(site.seed, data, "--template", path, index=True)
    monkeypatch.setattr(healing, "SECONDS", 0.05)

    told = complains("template", "--data", data, "heal", "shop")

    assert "learning again takes more than 0.05 seconds" in told
