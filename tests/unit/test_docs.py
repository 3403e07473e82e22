"""Do the documents tell the truth about the repository?"""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from gossamer.core.collection import CollectionSettings
from gossamer.core.crawl.job import JobConfig, ScopeConfig
from gossamer.core.crawl.traps import TrapConfig
from gossamer.core.crawl.url_state import REASONS, State, explain
from gossamer.core.search.fields import FACETS, SORTS
from gossamer.core.search.formula.arithmetic import FUNCTIONS
from gossamer.core.search.formula.compiling import AGE, HAS, STANDARD
from gossamer.core.search.lexemes import DAYS, FIELDS
from gossamer.core.search.query import parse_query
from gossamer.entrypoints.api.parameters import SEARCH
from gossamer.entrypoints.cli.main import COMMANDS, main
from gossamer.settings import PREFIX, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "layers" / "gossamer" / "src" / "gossamer"

LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*/?")
# Traces of a developer's machine or package index: home, workspace, mirror.
PRIVATE = re.compile(r"(?<![\w.:/>-])/(?:root|work)/[\w.]|--(?:extra-)?index[-]url")


def _ignored() -> list[str]:
    lines = (ROOT / ".gitignore").read_text().splitlines()
    given = [line.strip("/ ") for line in lines if line and not line.startswith("#")]
    return [".git", ".venv*", ".aws-sam", *given]


def _files(folder: Path, ignored: list[str]) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        names = (path.name, str(path.relative_to(ROOT)))
        if any(fnmatch(name, pattern) for name in names for pattern in ignored):
            continue
        if path.is_dir():
            yield from _files(path, ignored)
        else:
            yield path


FILES = list(_files(ROOT, _ignored()))
PAGES = [path for path in FILES if path.suffix == ".md"]
NAMES = {path.name for path in FILES}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def _links(page: Path) -> Iterator[str]:
    for target in LINK.findall(_text(page)):
        if "://" not in target and not target.startswith(("#", "mailto:")):
            yield target.partition("#")[0]


def _paths(page: Path) -> Iterator[str]:
    """What stands in backticks and begins like a folder of ours, or ends like a source file."""
    homes = [entry.name for home in (ROOT, PACKAGE) for entry in home.iterdir() if entry.is_dir()]
    for text in CODE.findall(_text(page)):
        if not PATH.fullmatch(text):
            continue
        first, slash, _ = text.partition("/")
        if (slash and first in homes and first != "data") or text.endswith((".py", ".md")):
            yield text


def _exists(text: str, page: Path) -> bool:
    if "/" not in text:
        return text in NAMES
    return any((home / text).exists() for home in (ROOT, PACKAGE, page.parent))


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_relative_link_leads_somewhere(page):
    broken = [target for target in _links(page) if not (page.parent / target).exists()]

    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_path_in_backticks_exists(page):
    missing = [text for text in _paths(page) if not _exists(text, page)]

    assert missing == []


def test_the_readme_names_every_command():
    readme = _text(ROOT / "README.md")

    assert [name for name in COMMANDS if f"`gossamer {name}" not in readme] == []


@pytest.mark.parametrize("kind", [JobConfig, ScopeConfig, TrapConfig])
def test_every_key_of_a_job_is_explained(kind):
    page = _text(ROOT / "docs" / "jobs.md")
    keys = {field.encode_name for field in msgspec.structs.fields(kind)}

    missing = {key for key in keys if f"| `{key}` |" not in page and f"`[{key}]`" not in page}

    assert missing == set()


def _shown(default: object) -> str:
    """A default as the tables write it; "" for one that they describe in words."""
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, int):
        return f"{default:,}" if default >= 10_000 else str(default)
    if isinstance(default, float):
        return str(default)
    return f'`"{default}"`' if isinstance(default, str) and default else ""


@pytest.mark.parametrize("kind", [JobConfig, ScopeConfig, TrapConfig])
def test_every_default_of_a_job_is_the_real_one(kind):
    page = _text(ROOT / "docs" / "jobs.md")
    shown = {f.encode_name: _shown(f.default) for f in msgspec.structs.fields(kind)}

    rows = {key: re.search(rf"^\| `{key}` \|.*$", page, re.MULTILINE) for key in shown}
    wrong = {k: shown[k] for k, row in rows.items() if row and f"| {shown[k]}" not in row[0]}

    assert wrong == {}


def test_every_flag_of_crawl_is_explained(capsys):
    with pytest.raises(SystemExit):
        main(["crawl", "--help"])
    flags = set(re.findall(r"^ +(?:-h, )?(--[a-z-]+)", capsys.readouterr().out, re.MULTILINE))
    page = _text(ROOT / "docs" / "jobs.md")

    assert len(flags) > 20
    assert {flag for flag in flags if f"`{flag}" not in page} == set()


def test_every_state_is_in_the_glossary():
    glossary = _text(ROOT / "docs" / "glossary.md")
    line = next(line for line in glossary.splitlines() if line.startswith("| **state**"))

    assert [state for state in State if state not in line] == []


def test_every_decision_is_listed():
    folder = ROOT / "docs" / "decisions"
    listed = _text(folder / "README.md")

    assert [page.name for page in folder.glob("0*.md") if f"({page.name})" not in listed] == []


@pytest.mark.parametrize("reason", [*REASONS, "http-418"])
def test_every_reason_has_a_sentence_for_a_person(reason):
    sentence = explain(reason)

    assert sentence != reason
    assert sentence.isprintable()
    assert len(sentence) < 100


def test_every_document_is_in_the_index_of_documents():
    folder = ROOT / "docs"
    listed = _text(folder / "README.md")
    pages = [page.relative_to(folder) for page in (*folder.glob("*.md"), *folder.glob("how-to/*"))]

    assert [page for page in pages if f"({page})" not in listed and page.name != "README.md"] == []


def test_every_setting_is_explained():
    page = _text(ROOT / "docs" / "settings.md")
    environment = [f"`{PREFIX}{field.name.upper()}`" for field in fields(Settings)]
    keys = [key for key in msgspec.to_builtins(CollectionSettings()) if key != "version"]

    assert [name for name in environment if name not in page] == []
    assert [key for key in keys if not re.search(rf"`\[?{key}[.`]", page)] == []


DECLARED = {
    "brand": "keyword",
    "price": "float",
    "in_stock": "bool",
    "price_currency": "keyword",
    "released": "day",
}


def test_every_query_of_the_reference_can_be_read():
    page = _text(ROOT / "docs" / "query.md").partition("## Counting")[0]
    queries = [text.replace("\\|", "|") for text in _in_first_column(page)]

    assert len(queries) > 30
    for query in queries:
        assert parse_query(query, DECLARED | {"summary": "words"}).notes == ()


def _in_first_column(page: str) -> list[str]:
    """What stands in backticks there, in all tables of a page."""
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    return [text for row in rows for text in CODE.findall(row.split(" | ")[0])]


@pytest.mark.parametrize("parameter", [each.name for each in SEARCH])
def test_every_parameter_of_a_search_is_in_the_reference(parameter):
    """`q` is what the page is about; the page of results is asked for with the limit."""
    text = (ROOT / "docs" / "query.md").read_text()

    assert re.search(rf"`(?:[^`]*&)?{parameter}=|\| `{parameter}=", text)


def test_every_field_facet_and_order_is_in_the_reference():
    text = (ROOT / "docs" / "query.md").read_text()

    for name in (*FIELDS, *DAYS):
        assert f"`{name}:" in text or f", `{name}:" in text, name
    sentence = text[text.index("`--facets site,year`") :].partition("## Small answers")[0]
    for name in (*FACETS, *SORTS):
        assert re.search(rf"\b{name}\b", sentence), name


def test_every_name_and_function_of_formulas_is_explained():
    text = (ROOT / "docs" / "settings.md").read_text()

    for name in (*FUNCTIONS, AGE, HAS):
        assert f"`{name}`" in text or f"`{name}(" in text, name
    for name in STANDARD:
        assert f"`{name}`" in text, name


def test_troubleshooting_knows_every_reason():
    page = _text(ROOT / "docs" / "troubleshooting.md")

    assert [reason for reason in REASONS if f"`{reason}`" not in page] == []


def test_troubleshooting_quotes_messages_that_there_are():
    page = _text(ROOT / "docs" / "troubleshooting.md")
    messages = page.partition("## A search finds")[2].partition("## It is slow")[0]
    quoted, said = _in_first_column(messages), _said()

    parts = [part.strip() for text in quoted for part in text.split("…")]
    assert len(quoted) > 30
    assert [part for part in parts if part.strip(" .;:()") and part not in said] == []


def _said() -> str:
    """All texts in the code, those of one literal joined."""
    trees = [ast.parse(_text(path)) for path in PACKAGE.rglob("*.py")]
    return "\n".join(
        _literal(node)
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr | ast.Constant)
    )


def _literal(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_literal, node.values))
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "\0"


def test_no_file_tells_where_it_was_written():
    telling = [_name(path) for path in FILES if PRIVATE.search(_text(path))]

    assert telling == []
