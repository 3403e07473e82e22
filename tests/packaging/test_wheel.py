"""Is everything in the wheel that a person needs, and nothing in a layer that Lambda does not?"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from importlib.metadata import packages_distributions
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from gossamer import __version__
from scripts.dist import PACKAGE, ROOT, build_wheel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message
    from pathlib import Path

SOURCE = PACKAGE / "src"
# Modules that only run with the extra `aws`, or in Lambda.
OF_AWS = (
    "adapters/aws/",
    "entrypoints/lambdas/chalice_app.py",
    "entrypoints/lambdas/powertools.py",
    "entrypoints/lambdas/snapshots.py",
    "entrypoints/lambdas/tracing.py",
)
DEMO = SOURCE / "gossamer" / "entrypoints" / "demo"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> zipfile.ZipFile:
    return zipfile.ZipFile(build_wheel(tmp_path_factory.mktemp("dist")))


@pytest.fixture(scope="module")
def metadata(wheel) -> Message:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return Parser().parsestr(wheel.read(name).decode())


def files() -> Iterator[Path]:
    for path in sorted(SOURCE.rglob("*")):
        if path.is_file() and not re.search(r"__pycache__|\.egg-info", str(path)):
            yield path


def test_it_holds_every_file_of_the_package_and_no_other(wheel):
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}

    assert held == {str(path.relative_to(SOURCE)) for path in files()}


def test_its_description_is_complete(metadata):
    assert metadata["Name"] == "gossamer"
    assert metadata["Version"] == __version__
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata.get_all("License-File") == ["LICENSE", "NOTICE"]
    assert metadata["Requires-Python"] == ">=3.11"
    assert "gossamer demo" in metadata.get_payload()
    assert "Project-URL" not in metadata  # none is known


@pytest.mark.parametrize("legal", ["LICENSE", "NOTICE"])
def test_the_licence_is_inside(wheel, legal):
    (name,) = (name for name in wheel.namelist() if name.endswith(f"/{legal}"))

    assert wheel.read(name) == (ROOT / legal).read_bytes()


def test_the_program_is_on_the_path(wheel):
    (name,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))

    assert "gossamer = gossamer.entrypoints.cli.main:main" in wheel.read(name).decode()


def test_every_package_that_is_imported_is_asked_for():
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    # What signs requests is an extra; its module says so where it is missing.
    wanted = [*project["dependencies"], *project["optional-dependencies"]["signing"]]
    asked_for = {_plain(re.split(r"[<>=]", each)[0]) for each in wanted}
    providers = packages_distributions()

    missing = {
        f"{name} in {path.relative_to(SOURCE)}"
        for path in files()
        if path.suffix == ".py" and not _is_of_aws(path)
        for name in _imported(path)
        if not asked_for & {_plain(each) for each in providers.get(name, ["?"])}
    }

    assert missing == set()


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_of_aws(path: Path) -> bool:
    return str(path.relative_to(SOURCE / "gossamer")).startswith(OF_AWS)


def _imported(path: Path) -> Iterator[str]:
    """The packages of others that a module imports, if only for its annotations."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        tops = {name.partition(".")[0] for name in names}
        yield from tops - sys.stdlib_module_names - {"gossamer"}


def test_the_layer_of_lambda_carries_no_demo(tmp_path):
    nothing = "PYTHON_VERSION=none"  # is compiled
    layer = ["build-GossamerLayer", f"ARTIFACTS_DIR={tmp_path}", nothing]
    subprocess.run(["make", "-s", "-C", PACKAGE, *layer], check=True)

    built = tmp_path / "python" / "gossamer"
    expected = {path for path in files() if not path.is_relative_to(DEMO)}
    held = {path.relative_to(built) for path in built.rglob("*") if path.is_file()}
    assert held == {path.relative_to(SOURCE / "gossamer") for path in expected}


def requirements() -> list[Requirement]:
    """Return what the wheel and its build ask of package indexes."""
    content = tomllib.loads((PACKAGE / "pyproject.toml").read_text())
    project = content["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    lines = [*content["build-system"]["requires"], *project["dependencies"], *extras]
    return [Requirement(line) for line in lines]


def locked_versions() -> dict[str, set[str]]:
    """Return the versions that the developers' lock pins, by canonical name."""
    versions: dict[str, set[str]] = {}
    lock = (ROOT / "requirements" / "dev.txt").read_text()
    for name, version in re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==([\w.]+)", lock, re.MULTILINE):
        versions.setdefault(canonicalize_name(name), set()).add(version)
    return versions


@pytest.mark.parametrize("requirement", requirements(), ids=str)
def test_a_range_ends_before_the_next_major_and_admits_the_lock(requirement):
    locked = locked_versions()[canonicalize_name(requirement.name)]
    next_major = max(int(version.partition(".")[0]) for version in locked) + 1

    assert all(version in requirement.specifier for version in locked)
    assert f"{next_major}.0" not in requirement.specifier
