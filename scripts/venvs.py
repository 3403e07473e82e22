"""Virtual environments for tools that the project never imports.

The emulators and SAM's command line pin older versions of what we need; PySpark is 670 MB for one
job. Each has a lock file in requirements/ and a folder .venv-NAME, created on first use and again
when its lock changes.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.one_at_a_time import one_at_a_time

ROOT = Path(__file__).resolve().parent.parent
# Packages of this repository that are installed too.
OURS = {"localstack": ROOT / "localstack"}


def venv(name: str) -> Path:
    """The bin folder of a venv; creates the venv if it is missing or stale."""
    folder, stamp = ROOT / f".venv-{name}", _stamp(name)
    with one_at_a_time(folder.name):
        done = folder / ".done"
        if not done.is_file() or done.read_text(encoding="ascii") != stamp:
            print(f"installing {name} into {folder.name}", file=sys.stderr, flush=True)
            _install(name, folder)
            done.write_text(stamp, encoding="ascii")
    return folder / "bin"


def _install(name: str, folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    # --no-deps: the lock is complete, and pip cannot match a hashed lock with an extra such as
    # botocore[crt]. --no-compile: a tenth of the packages is ever imported, and Python compiles
    # what it imports.
    pip = [f"{folder}/bin/pip", "install", "--quiet", "--no-deps", "--no-compile"]
    subprocess.run([*pip, "--require-hashes", "-r", str(_lock(name))], check=True)
    if name in OURS:
        with tempfile.TemporaryDirectory() as temporary:  # building leaves files in the source
            copy = shutil.copytree(OURS[name], Path(temporary) / name)
            subprocess.run([*pip, "--no-build-isolation", str(copy)], check=True)


def _stamp(name: str) -> str:
    """A hash of everything that the venv is built from."""
    files = [_lock(name)]
    if name in OURS:
        files += sorted(f for f in OURS[name].rglob("*") if f.suffix in {".py", ".toml"})
    digest = hashlib.sha256(sys.version.encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _lock(name: str) -> Path:
    return ROOT / "requirements" / f"{name}.txt"
