"""What the machines of a cluster need: our code, and the packages that it imports, as archives.

Both are unpacked beside a job, so that files which packages read are files. Wheels are those of the
lock, for the Python and the platform of the cluster and not of this machine.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "layers" / "deps" / "requirements.txt"
PYTHON = "3.11"
PLATFORMS = {"x86_64": "manylinux_2_28_x86_64", "arm64": "manylinux_2_28_aarch64"}


def pack_code(archive: Path) -> Path:
    """Our own code: the package, and the jobs."""
    source = ROOT / "layers" / "gossamer" / "src"
    files = [(file, file.relative_to(source)) for file in (source / "gossamer").rglob("*")]
    files += [(file, file.relative_to(ROOT)) for file in (ROOT / "scripts" / "spark").rglob("*.py")]
    return _zip(archive, [each for each in files if "__pycache__" not in each[0].parts])


def pack_packages(archive: Path, architecture: str) -> Path:
    """What our code imports."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
        command += ["--require-hashes", "--only-binary=:all:", "--python-version", PYTHON]
        command += ["--platform", PLATFORMS[architecture], "--platform", _older(architecture)]
        subprocess.run([*command, "--target", folder, "-r", str(LOCK)], check=True)
        root = Path(folder)
        return _zip(archive, [(file, file.relative_to(root)) for file in root.rglob("*")])


def _older(architecture: str) -> str:
    """Most wheels are built for older systems."""
    return PLATFORMS[architecture].replace("_2_28_", "2014_")


def _zip(archive: Path, files: list[tuple[Path, Path]]) -> Path:
    archive.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for file, name in sorted(files):
            if file.is_file():
                out.write(file, name)
    return archive
