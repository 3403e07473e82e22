"""Do templates come from files of other programs, and go to them, by a command?"""

from __future__ import annotations

import json

import pytest

from gossamer.core.page.templates.template import read_template
from tests.commands import complains, run_here, said

SCHEMA = {
    "name": "Shop",
    "baseSelector": "div.card",
    "fields": [
        {"name": "title", "selector": "h2", "type": "text", "default": ""},
        {"name": "price", "selector": ".price", "type": "text"},
    ],
}


@pytest.fixture
def schema(tmp_path):
    """A file of crawl4ai."""
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(SCHEMA))
    return file


def test_an_imported_template_is_printed_with_notes_as_comments(schema):
    done = run_here("template", "import", schema, "--match", "https://shop.test/*")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# note: title: default is left out\n# shop.toml\n")
    template = read_template(done.stdout, "x")
    assert (template.name, template.items) == ("shop", "div.card")
    assert list(template.fields) == ["title", "price"]


def test_imported_templates_are_written_and_never_over_others(schema, tmp_path):
    flags = ("--match", "https://shop.test/*", "--into", tmp_path / "templates")

    done = said("template", "import", schema, *flags)

    file = tmp_path / "templates" / "shop.toml"
    assert file.read_text() == done["templates"]["shop"]
    assert str(file) in complains("template", "import", schema, *flags)


def test_a_template_leaves_as_a_schema(schema, tmp_path):
    folder = tmp_path / "templates"
    said("template", "import", schema, "--match", "https://shop.test/*", "--into", folder)

    done = run_here("template", "export", folder / "shop.toml")

    assert json.loads(done.stdout)["baseSelector"] == "div.card"
    assert said("template", "export", folder / "shop.toml")["schema"]["name"] == "shop"


@pytest.mark.parametrize("text", ["{}", "[", "a: 1"])
def test_what_is_no_such_file_is_named(tmp_path, text):
    file = tmp_path / "odd.json"
    file.write_text(text)

    assert "odd.json" in complains("template", "import", file)
    assert "cannot read" in complains("template", "import", tmp_path / "none.json")
