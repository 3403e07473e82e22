"""Does the schema that an editor checks template files by say what Gossamer says?"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from gossamer.core.errors import ConfigurationError
from gossamer.core.page.templates.template import read_template

jsonschema = pytest.importorskip("jsonschema")
ROOT = Path(__file__).resolve().parents[2]
CHECK = jsonschema.Draft202012Validator(
    json.loads((ROOT / "schemas" / "files" / "Template.json").read_text())
)
LEAST = 'match = "a.test/*"\n'


def documented() -> list[str]:
    """The templates in the documentation."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    blocks = [b for p in pages for b in re.findall(r"```toml\n(.*?)```", p.read_text(), re.DOTALL)]
    return [block for block in blocks if re.search(r"^match = ", block, re.MULTILINE)]


@pytest.mark.parametrize("text", documented())
def test_what_the_documentation_shows_can_be_read(text: str):
    read_template(text, "shop.toml")

    assert [error.message for error in CHECK.iter_errors(tomllib.loads(text))] == []


@pytest.mark.parametrize(
    "text",
    [
        LEAST,
        LEAST + '[fields]\nprice = ".price"\nname = ["h1", "h2"]',
        LEAST + '[fields.price]\nselect = [".a", ".b"]\nfrom = "jsonld:Product.name"\nclean = "x"',
        LEAST + '[[actions]]\nclick = ".more"\ntimes = 3\n[[actions]]\nwait = 2.5',
        LEAST + '[[examples]]\npage = "https://a.test/1"\nexpect = [{ a = 1 }, { a = [1, 2] }]',
        LEAST + '[examples]\npage = "https://a.test/1"\nexpect = { a = true }',
    ],
)
def test_every_form_that_is_read_is_in_the_schema(text: str):
    read_template(text, "shop.toml")

    assert [error.message for error in CHECK.iter_errors(tomllib.loads(text))] == []


@pytest.mark.parametrize(
    "text",
    [
        LEAST + "fild = 3",
        LEAST + "items = 3",
        LEAST + "[fields]\nprice = 3",
        LEAST + '[fields.price]\nselct = "b"',
        LEAST + '[fields.price]\ntype = "nummer"',
        LEAST + '[[examples]]\nexpect = { a = "b" }',
        'name = "A b"\n' + LEAST,
    ],
)
def test_what_is_refused_the_schema_refuses_too(text: str):
    with pytest.raises(ConfigurationError):
        read_template(text, "shop.toml")

    assert not CHECK.is_valid(tomllib.loads(text))
