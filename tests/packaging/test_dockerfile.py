"""Does the Dockerfile name what is there? It is not run: there is no Docker to run it."""

from __future__ import annotations

import json
import re
import tomllib

import pytest
from packaging.specifiers import SpecifierSet

from gossamer.entrypoints.cli.main import parser
from scripts.dist import PACKAGE, ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text()
IGNORED = (ROOT / ".dockerignore").read_text().splitlines()


def test_what_it_copies_is_there_and_reaches_the_builder():
    copied = re.findall(r"^COPY ([^-\s]\S*) ", DOCKERFILE, re.MULTILINE)

    assert copied
    assert [path for path in copied if not (ROOT / path).exists()] == []
    assert [path for path in copied if f"!{path}" not in IGNORED] == []


def test_its_commands_are_commands():
    (default,) = re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)
    shown = re.findall(r"^# +docker run .* gossamer (\w.*)$", DOCKERFILE, re.MULTILINE)

    assert shown
    for line in [json.loads(default), *(line.split() for line in shown)]:
        assert parser().parse_args(line).command.name == line[0]


COMMANDS = [
    line.strip(" \\")
    for block in re.findall(r"^RUN ((?:.*\\\n)*.*)$", DOCKERFILE, re.MULTILINE)
    for line in block.replace("\\\n", " ").split("&&")
]
INSTALLS = [line for line in COMMANDS if re.search(r"\bpip (install|wheel)\b", line)]


@pytest.mark.parametrize("command", INSTALLS)
def test_nothing_is_installed_but_what_the_locks_name(command):
    assert "--no-deps" in command.split()
    assert {"--require-hashes", "--no-index"} & set(command.split())


def test_its_locks_have_a_hash_for_every_package():
    copies = dict(re.findall(r"^COPY (\S+\.txt) (\S+)$", DOCKERFILE, re.MULTILINE))
    used = [path for line in INSTALLS for path in re.findall(r"-r (\S+)", line)]

    assert sorted(copies.values()) == sorted(used)
    for lock in copies:
        packages = re.split(
            r"^(?=[\w.-]+(?:\[[\w,-]+\])?==)", (ROOT / lock).read_text(), flags=re.M
        )
        assert len(packages) > 2
        assert all("--hash=sha256:" in package for package in packages[1:])


def test_its_base_names_a_python_that_is_supported_and_a_release_of_debian():
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    bases = re.findall(r"^ARG BASE=python:(3\.\d+)-slim-[a-z]+$", DOCKERFILE, re.MULTILINE)

    assert re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE) == ["${BASE}"] * 2
    assert [version in SpecifierSet(project["requires-python"]) for version in bases] == [True]
