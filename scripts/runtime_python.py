"""Find an interpreter of the version that Lambda runs, which writes the layers' bytecode.

    python -m scripts.runtime_python 3.13 --stage prod     prints its path, or nothing

It looks on the path, among the versions of pyenv and of uv. Without one the layers have no bytecode
and every cold start compiles what it imports: for `prod` that is refused unless WITHOUT_BYTECODE=1.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COST = (
    "the layers will have no bytecode, so every cold start compiles what it imports: once seen,"
    " 1,155 ms of CPU instead of 558 until the API's first answer"
)
HELP = "install one (`pyenv install {0}`, `uv python install {0}`)"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the path; 1 if there is none and the stage needs one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("version", help="as 3.13")
    parser.add_argument("--stage", default="dev")
    asked = parser.parse_args(argv)
    found = find(asked.version)
    if found:
        print(found)
        return 0
    print(f"no Python {asked.version} here: {COST}; {HELP.format(asked.version)}", file=sys.stderr)
    if asked.stage == "prod" and os.environ.get("WITHOUT_BYTECODE") != "1":
        print("refused for prod; WITHOUT_BYTECODE=1 builds it all the same", file=sys.stderr)
        return 1
    return 0


def find(version: str) -> str:
    """The first interpreter of a version that runs; "" if there is none."""
    return next((path for path in candidates(version) if runs(path, version)), "")


def candidates(version: str) -> Iterator[str]:
    """Where it may be."""
    if on_path := shutil.which(f"python{version}"):
        yield on_path
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from (str(each / "bin" / "python") for each in sorted(versions.glob(f"{version}.*")))
    if uv := shutil.which("uv"):
        yield _said([uv, "python", "find", "--no-python-downloads", version])


def runs(path: str, version: str) -> bool:
    """Is it of that version? A name on the path may be a mere signpost of a version manager."""
    told = "import sys; print('%d.%d' % sys.version_info[:2])"
    return bool(path) and _said([path, "-c", told]) == version


def _said(command: list[str]) -> str:
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


if __name__ == "__main__":
    sys.exit(main())
