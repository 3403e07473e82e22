"""Can every command of the pages that need a real account be typed as it stands there?

tests/cloud runs the commands of docs/operations.md. These pages need EMR, a day, or real hosts, so
their commands are only read by the parsers that would read them.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from gossamer.entrypoints.cli.main import parser
from scripts.bench.__main__ import parse as bench
from scripts.scale.__main__ import parse as scale
from scripts.spark.submit import parse as submit

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("first-week.md", "scale.md", "bulk.md")
MODULES = {"scripts.scale": scale, "scripts.spark.submit": submit, "scripts.bench": bench}


def commands(page: str) -> list[str]:
    """The lines of all blocks, without comments; a backslash joins two."""
    text = (ROOT / "docs" / page).read_text()
    blocks = re.findall(r"^```bash\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip()]


def read_by_its_parser(words: list[str]) -> bool:
    """Whether there is a parser for a command; it exits if it cannot read it."""
    match words:
        case ["gossamer", *given]:
            args = parser().parse_args(given)
            on_stack = args.stack is not None
            assert not (args.command.only_on_stack and not on_stack)
            assert not (args.command.not_on_stack and on_stack)
        case ["python", "-m", module, *given] if module in MODULES:
            MODULES[module](given)
        case ["make", target, *_]:
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        case _:
            return False
    return True


@pytest.mark.parametrize("page", PAGES)
def test_every_command_can_be_read(page):
    read = [read_by_its_parser(shlex.split(line, comments=True)) for line in commands(page)]

    assert sum(read) >= 3


def test_a_command_that_is_not_there_would_be_found():
    with pytest.raises(SystemExit):
        read_by_its_parser(["gossamer", "--stack", "s", "bulk", "rnak"])
    with pytest.raises(SystemExit):
        read_by_its_parser(["python", "-m", "scripts.scale", "--page", "x"])


@pytest.mark.parametrize("page", ["first-week.md", "scale.md"])
def test_every_constant_that_a_page_names_exists(page):
    text = (ROOT / "docs" / page).read_text()
    sources = [ROOT / "scripts" / "scale" / "limits.py"]
    sources.append(ROOT / "scripts" / "bench" / "contenders" / "gossamer_on_aws.py")
    known = "\n".join(source.read_text() for source in sources)

    named = set(re.findall(r"`([A-Z]+(?:_[A-Z0-9]+)+)`", text))
    assert named
    assert {name for name in named if not re.search(rf"\b{name}\b.* = ", known)} == set()


@pytest.mark.parametrize("page", PAGES)
def test_every_parameter_of_the_stack_that_a_page_names_exists(page):
    template = (ROOT / "template.yaml").read_text()
    named = set(re.findall(r"`([A-Z][a-z]+[A-Za-z]*)=", (ROOT / "docs" / page).read_text()))

    assert {name for name in named if f"\n  {name}:" not in template} == set()
