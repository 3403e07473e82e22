"""How is what a test deploys built, and for which machine?"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from scripts.emulator import REGION
from scripts.venvs import venv

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "template.yaml"
QUEUE_READERS = ("schedule", "fetch", "parse", "links", "index", "merge")
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}
PLATFORMS = {"x86_64": "manylinux_2_28_x86_64", "arm64": "manylinux_2_28_aarch64"}


def build(folder: Path) -> Path:
    """`sam build`, with layers for the Python and the machine that the emulator runs on."""
    environment = plain_environment() | {"AWS_DEFAULT_REGION": REGION} | _target()
    # No --cached: its key knows the sources but not these variables.
    sam(environment, "build", "--template-file", TEMPLATE, "--build-dir", folder)
    return folder


def make_build() -> Path:
    """The same as docs/operations.md says it."""
    done = subprocess.run(
        build_command().split(), cwd=ROOT, env=plain_environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return ROOT / ".aws-sam" / "build"


def build_command() -> str:
    """What a person types to build for an emulator."""
    return " ".join(["make", "build", *(f"{name}={value}" for name, value in _target().items())])


def _target() -> dict[str, str]:
    return {"PYTHON_VERSION": python_version(), "PLATFORM": PLATFORMS[architecture()]}


def plain_environment() -> dict[str, str]:
    """Ours, without what would lead SAM or a function elsewhere."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "GOSSAMER_"))}
    return kept | {"SAM_CLI_TELEMETRY": "0"}


def sam(environment: Mapping[str, str], *arguments: str | Path) -> None:
    command = [venv("sam") / "sam", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.args}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"


def architecture() -> str:
    """This machine, as Lambda calls it."""
    return MACHINES[platform.machine().lower()]


def python_version() -> str:
    """The Python that runs the functions: ours, or what an emulator in Docker is told to use."""
    ours = f"{sys.version_info.major}.{sys.version_info.minor}"
    return os.environ.get("EMULATOR_PYTHON", ours)


def parameters() -> dict[str, str]:
    """The template's parameters for an emulator; those that it declares."""
    wanted = {
        "Architecture": architecture(),
        "Runtime": f"python{python_version()}",
        "Contact": "https://example.org/about-this-crawler",
        "IndexWindow": "1",
        "LogLevel": "DEBUG",
    }
    # MiniStack unpacks all layers again for each process: few processes, for two cores.
    wanted |= {f"{bolt.capitalize()}Concurrency": "2" for bolt in QUEUE_READERS}
    declared = yaml.load(TEMPLATE.read_text(), _Loader)["Parameters"]  # noqa: S506 a SafeLoader
    return {name: value for name, value in wanted.items() if name in declared}


class _Loader(yaml.SafeLoader):
    """Reads CloudFormation's short tags as plain values."""


_Loader.add_multi_constructor("!", lambda loader, tag, node: (tag, node.value))
