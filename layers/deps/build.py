"""Build the layers of third-party code: which wheels, without what Lambda never needs.

Called by the makefile, which `sam build` calls. It needs pip and nothing else of this repository:
`sam build` copies this folder elsewhere first.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pip._vendor.packaging.markers import Marker

# The wheels that only some functions import. Everything else in the lock is in the layer `deps`.
HEAVY = {
    "html": str.split(
        "babel certifi charset-normalizer courlan dateparser defusedxml htmldate justext"
        " lxml-html-clean pypdfium2 pytz regex resiliparse trafilatura tzlocal"
    ),
    "numbers": ["numpy", "pystemmer", "rapidfuzz"],
}
# Required by a wheel for its command line or for building, never imported by what we call.
UNUSED = ["click", "fastwarc", "pycparser", "tqdm"]

# The clients that functions and their waiters may open; botocore describes 400 services.
SERVICES = str.split("cloudformation cloudwatch dynamodb lambda logs s3 secretsmanager sqs sts")

NEVER_NEEDED = [
    *("bin", "**/__pycache__", "**/tests", "**/py.typed"),
    *("**/*.pyi", "**/*.pyx", "**/*.pxd", "**/*.pxi", "**/*.h", "**/*.c", "**/*.cpp", "**/*.a"),
    "*.dist-info/**/[!M]*",  # METADATA stays: importlib.metadata asks for versions
    "boto3/examples",
    "botocore/data/*/*/examples-1.json",
    "chalice/[!_a]*",  # only chalice/__init__.py and chalice/app.py run
    "aws_lambda_powertools/event_handler/openapi/swagger_ui",
    "lxml/isoschematron",
    "lxml/objectify*",
    "numpy/f2py",
    *("rapidfuzz/**/*_avx2*", "rapidfuzz/fuzz_cpp*"),  # twins by processor, and another measure
    "pypdfium2_cli",
    "resiliparse/beam",
    "zstandard/*cffi*",  # the backend of PyPy
]
# Folders of data of which only some entries are read: (folder, the entries).
KEPT = [
    ("botocore/data", re.compile("|".join([*SERVICES, r"[_a-z-]+\.json"]))),
    ("babel/locale-data", re.compile(r"(root|en)\.dat")),  # courlan looks names up when asked for
]

MEGABYTE = 1_000_000
# MB unzipped; a function gets 200 in all. Measured for arm64 and 3.13 with bytecode: 52, 41, 57,
# and 8 of PDFium since then.
BUDGET = {"deps": 75, "html": 60, "numbers": 65}


def main() -> int:
    """Build one layer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("layer", choices=BUDGET)
    parser.add_argument("target", type=Path, help="the folder that becomes /opt")
    parser.add_argument("--python", required=True, help="the runtime's version, as 3.13")
    parser.add_argument("--platform", required=True, help="as manylinux_2_28_aarch64")
    asked = parser.parse_args()
    folder = asked.target / "python"
    install(asked.layer, folder, asked.python, asked.platform)
    prune(folder)
    compile_all(asked.target, asked.python)
    return check_size(asked.layer, folder)


def install(layer: str, folder: Path, python: str, platform: str) -> None:
    """Wheels of the lock for the runtime's platform; never code that is built or run here."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as chosen:
        chosen.write("".join(requirements_of(layer, python)))
        chosen.flush()
        options = ["--quiet", "--disable-pip-version-check", "--no-compile", "--no-deps"]
        options += ["--only-binary=:all:", "--require-hashes", "--implementation=cp"]
        options += ["--ignore-requires-python"]  # it asks about the builder's; the lock did ours
        options += [f"--python-version={python}", f"--target={folder}"]
        options += [f"--platform={name}" for name in accepted(platform)]
        command = [sys.executable, "-m", "pip", "install", *options, "-r", chosen.name]
        subprocess.run(command, check=True)  # noqa: S603 our own command


def accepted(platform: str) -> list[str]:
    """A platform and the older ones whose wheels run on it."""
    machine = re.sub(r"manylinux_\d+_\d+_", "", platform)
    older = [f"manylinux_2_{n}_{machine}" for n in (26, 24, 17)]
    return [platform, *older, f"manylinux2014_{machine}"]


def requirements_of(layer: str, python: str) -> list[str]:
    """The part of the lock that belongs into a layer, for a version of Python."""
    elsewhere = {name: other for other, names in HEAVY.items() for name in names}
    elsewhere |= dict.fromkeys(UNUSED, "nowhere")
    unknown = set(elsewhere) - {name_of(block) for block in blocks()}
    if unknown:
        raise SystemExit(f"the lock has no {', '.join(sorted(unknown))}; correct HEAVY or UNUSED")
    chosen = [block for block in blocks() if elsewhere.get(name_of(block), "deps") == layer]
    return [without_marker(block) for block in chosen if applies(block, python)]


def blocks() -> list[str]:
    """The requirements of the lock, each with its lines of hashes."""
    locks = (Path(__file__).with_name(name) for name in ("requirements.txt", "router.txt"))
    text = "\n".join(lock.read_text() for lock in locks)
    return re.findall(r"^[A-Za-z0-9].*\n(?:[ \t].*\n?)*", text, re.MULTILINE)


def name_of(block: str) -> str:
    """The name of the distribution."""
    return re.split(r"[\s=<>;\[]", block, maxsplit=1)[0].lower()


MARKER = re.compile(r" ; (.*?)(?= \\$)", re.MULTILINE)


def applies(block: str, python: str) -> bool:
    """Whether a requirement holds for the runtime. pip would ask about the builder's Python."""
    marker = MARKER.search(block)
    runtime = {"python_version": python, "python_full_version": f"{python}.0"}
    return marker is None or Marker(marker[1]).evaluate(runtime | {"sys_platform": "linux"})


def without_marker(block: str) -> str:
    """A requirement that holds everywhere."""
    return MARKER.sub("", block, count=1)


def prune(folder: Path) -> None:
    """Remove what Lambda never needs."""
    for pattern in NEVER_NEEDED:
        for found in sorted(folder.glob(pattern)):
            remove(found)
    for name, entries in KEPT:
        for found in sorted((folder / name).glob("*")):
            if not entries.fullmatch(found.name):
                remove(found)


def remove(path: Path) -> None:
    """A file, or a folder with all it holds."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def compile_all(target: Path, python: str) -> None:
    """Bytecode that needs no check of its source, if the runtime's Python is here to write it."""
    interpreter = os.environ.get("PYTHON_OF_RUNTIME") or f"python{python}"
    if not runs(interpreter):
        print(f"no {interpreter} here: the layer has no bytecode, cold starts take longer")
        return
    # Its paths as Lambda has them, so that two builds in different folders are the same bytes.
    paths = ["-s", str(target), "-p", "/opt", str(target)]
    options = ["-q", f"-j{os.cpu_count()}", "--invalidation-mode=unchecked-hash", *paths]
    command = [interpreter, "-m", "compileall", *options]
    subprocess.run(command, check=True)  # noqa: S603 our own command


def runs(interpreter: str) -> bool:
    """Is it here? A name on the path may be a mere signpost of a version manager."""
    if shutil.which(interpreter) is None:
        return False
    tried = subprocess.run([interpreter, "-c", ""], check=False, capture_output=True)  # noqa: S603
    return tried.returncode == 0


def check_size(layer: str, folder: Path) -> int:
    """1 if the layer is over its budget."""
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / MEGABYTE
    print(f"layer {layer}: {size:.1f} MB of {BUDGET[layer]} MB")
    return int(size > BUDGET[layer])


if __name__ == "__main__":
    sys.exit(main())
