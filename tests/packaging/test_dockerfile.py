"""Does the Dockerfile name what is there? It is not run: there is no Docker to run it."""

from __future__ import annotations

import json
import re

from gossamer.entrypoints.cli.main import parser
from scripts.dist import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text()
IGNORED = (ROOT / ".dockerignore").read_text().splitlines()


def test_what_it_copies_is_there_and_reaches_the_builder():
    copied = re.findall(r"^COPY (\S+) ", DOCKERFILE, re.MULTILINE)

    assert copied
    assert [path for path in copied if not (ROOT / path).exists()] == []
    assert [path for path in copied if f"!{path}" not in IGNORED] == []


def test_its_commands_are_commands():
    (default,) = re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)
    shown = re.findall(r"^# +docker run .* gossamer (\w.*)$", DOCKERFILE, re.MULTILINE)

    assert shown
    for line in [json.loads(default), *(line.split() for line in shown)]:
        assert parser().parse_args(line).command.name == line[0]
