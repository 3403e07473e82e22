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
BUILDER = ROOT / "layers" / "deps" / "build.py"
LAYERS = ("deps", "html", "numbers")  # together all that the lock has
PYTHON = "3.11"
PLATFORMS = {"x86_64": "manylinux_2_28_x86_64", "arm64": "manylinux_2_28_aarch64"}


def pack_code(archive: Path) -> Path:
    """Our own code: the package, and the jobs."""
    source = ROOT / "layers" / "gossamer" / "src"
    files = [(file, file.relative_to(source)) for file in (source / "gossamer").rglob("*")]
    files += [(file, file.relative_to(ROOT)) for file in (ROOT / "scripts" / "spark").rglob("*.py")]
    return _zip(archive, [each for each in files if "__pycache__" not in each[0].parts])


def pack_packages(archive: Path, architecture: str) -> Path:
    """What our code imports: the layers of the functions, built for the cluster."""
    with tempfile.TemporaryDirectory() as folder:
        files: list[tuple[Path, Path]] = []
        for layer in LAYERS:
            target = Path(folder) / layer
            command = [sys.executable, str(BUILDER), layer, str(target), "--python", PYTHON]
            subprocess.run([*command, "--platform", PLATFORMS[architecture]], check=True)
            root = target / "python"
            files += [(file, file.relative_to(root)) for file in root.rglob("*")]
        return _zip(archive, files)


def _zip(archive: Path, files: list[tuple[Path, Path]]) -> Path:
    archive.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for file, name in sorted(files):
            if file.is_file():
                out.write(file, name)
    return archive
