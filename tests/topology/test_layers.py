"""Does every wheel of the lock land in one layer, without what Lambda never needs?"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import pytest

from scripts.layer_sizes import main as layer_sizes
from tests.topology.template import ROOT, functions, load, of_type

if TYPE_CHECKING:
    from pathlib import Path

LAYERS = ("deps", "html", "numbers")


def _build() -> Any:
    spec = importlib.util.spec_from_file_location("build", ROOT / "layers" / "deps" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build = _build()


def names(layer: str) -> set[str]:
    return {build.name_of(block) for block in build.requirements_of(layer, "3.13")}


def test_every_wheel_is_in_one_layer_or_named_as_unused():
    locked = {build.name_of(block) for block in build.blocks()}
    of_windows = {"colorama", "tzdata"}

    placed = [name for layer in LAYERS for name in names(layer)]

    assert sorted([*placed, *build.UNUSED, *of_windows]) == sorted(locked)


def test_a_wheel_is_that_of_the_runtime_not_of_the_builder():
    (before,) = [b for b in build.requirements_of("numbers", "3.11") if b.startswith("numpy")]
    (after,) = [b for b in build.requirements_of("numbers", "3.13") if b.startswith("numpy")]

    assert before.split()[0] != after.split()[0]
    assert ";" not in before + after  # pip would ask the builder's Python


def test_every_requirement_keeps_its_hashes():
    for layer in LAYERS:
        for block in build.requirements_of(layer, "3.13"):
            assert "--hash=sha256:" in block, block


def test_heavy_wheels_are_only_where_they_are_imported():
    template = load()
    heavy = {bolt: each.get("Layers", []) for bolt, each in functions(template).items()}

    assert {bolt: [ref["Ref"] for ref in refs] for bolt, refs in heavy.items() if refs} == {
        "parse": ["HtmlLayer"],
        "index": ["NumbersLayer"],
        "compact": ["NumbersLayer"],
        "merge": ["NumbersLayer"],
        "rank": ["NumbersLayer"],
        "recrawl": ["NumbersLayer"],
        "search": ["NumbersLayer"],
        "api": ["NumbersLayer", "HtmlLayer"],
    }


def test_every_layer_is_built_from_a_folder_with_its_target():
    for name, layer in of_type(load(), "AWS::Serverless::LayerVersion").items():
        makefile = (ROOT / layer["ContentUri"] / "Makefile").read_text()
        assert f"build-{name}" in makefile


def test_pruning_keeps_code_data_and_versions(tmp_path: Path):
    kept = [
        "botocore/data/sqs/2012-11-05/service-2.json.gz",
        "botocore/data/endpoints.json",
        "chalice/app.py",
        "chalice/__init__.py",
        "numpy-2.4.6.dist-info/METADATA",
        "numpy/testing/__init__.py",
        "zstandard/backend_c.cpython-313-aarch64-linux-gnu.so",
        "babel/locale-data/en.dat",
    ]
    dropped = [
        "bin/f2py",
        "botocore/data/ec2/2016-11-15/service-2.json.gz",
        "chalice/cli/factory.py",
        "numpy-2.4.6.dist-info/RECORD",
        "numpy-2.4.6.dist-info/licenses/LICENSE.txt",
        "numpy/_core/tests/test_umath.py",
        "numpy/_core/include/numpy/ndarraytypes.h",
        "numpy/version.pyi",
        "zstandard/_cffi.cpython-313-aarch64-linux-gnu.so",
        "babel/locale-data/fr.dat",
    ]
    for name in (*kept, *dropped):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()

    build.prune(tmp_path)

    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == set(kept)


def test_a_layer_above_its_budget_fails_the_build(tmp_path: Path, monkeypatch):
    (tmp_path / "wheel.so").write_bytes(b"x" * 2_000_000)
    monkeypatch.setitem(build.BUDGET, "deps", 1)

    assert build.check_size("deps", tmp_path) == 1
    assert build.check_size("html", tmp_path) == 0


def built(folder: Path, size: int) -> Path:
    for layer in ("GossamerLayer", "DepsLayer", "HtmlLayer", "NumbersLayer"):
        (folder / layer).mkdir()
        with (folder / layer / "file").open("wb") as file:
            file.truncate(size)
    return folder


@pytest.mark.parametrize(("size", "answer"), [(1_000_000, 0), (90_000_000, 1)])
def test_a_function_above_the_budget_fails_the_build(tmp_path: Path, capsys, size, answer):
    assert layer_sizes([str(built(tmp_path, size))]) == answer

    printed = capsys.readouterr().out.splitlines()
    assert [line.split("|")[1].strip() for line in printed[2:]] == list(functions(load()))


def test_without_a_build_it_says_what_to_do(tmp_path: Path, capsys):
    assert layer_sizes([str(tmp_path)]) == 2

    assert "make build" in capsys.readouterr().err
