"""Where do the tools come from that the project itself never imports? From venvs of their own.

An emulator, or SAM's command line, pins what we need newer; PySpark is 670 MB that only one job
needs. Each has a lock in requirements/ and a folder .venv-NAME, made when it is first needed and
made anew when its lock changed.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What goes into a venv beside its lock: packages of this repository.
OURS = {"localstack": ROOT / "localstack"}


def venv(name: str) -> Path:
    """The folder of programs of a venv, which is made if it is missing or out of date."""
    folder, stamp = ROOT / f".venv-{name}", _stamp(name)
    done = folder / ".done"
    if not done.is_file() or done.read_text(encoding="ascii") != stamp:
        _say(f"installing {name} into {folder.name}")
        _install(name, folder)
        done.write_text(stamp, encoding="ascii")
    return folder / "bin"


def _install(name: str, folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    # --no-deps: the lock is complete, and pip cannot match a hashed lock with an extra such as
    # botocore[crt]. --no-compile: a tenth of these packages is ever imported, and Python compiles
    # that part itself.
    pip = [f"{folder}/bin/pip", "install", "--quiet", "--no-deps", "--no-compile"]
    subprocess.run([*pip, "--require-hashes", "-r", str(_lock(name))], check=True)
    if name in OURS:
        with tempfile.TemporaryDirectory() as temporary:  # building leaves files in the source
            copy = shutil.copytree(OURS[name], Path(temporary) / name)
            subprocess.run([*pip, "--no-build-isolation", str(copy)], check=True)


def _stamp(name: str) -> str:
    """A fingerprint of all that the venv is made from."""
    files = [_lock(name)]
    if name in OURS:
        files += sorted(f for f in OURS[name].rglob("*") if f.suffix in {".py", ".toml"})
    digest = hashlib.sha256(sys.version.encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _lock(name: str) -> Path:
    return ROOT / "requirements" / f"{name}.txt"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
