"""Real sites: Debian's documentation packages, downloaded on first use.

Anyone can download the same bytes, and nothing third-party is kept in git.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.bench.failure import BenchFailure
from scripts.bench.machine.processes import require

FETCH_LIMIT = 900.0  # seconds to download or unpack one package


@dataclass(frozen=True, slots=True)
class Package:
    """A Debian package and the folder in it that holds the site."""

    name: str
    html: str


@dataclass(frozen=True, slots=True)
class Site:
    """A folder with an index.html, to be served as `/`."""

    name: str
    root: Path


PACKAGES = {
    "python": Package("python3.11-doc", "usr/share/doc/python3.11/html"),
    "postgres": Package("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html"),
    # Its parent has an empty index.html with a meta refresh to api/.
    "openjdk": Package("openjdk-17-doc", "usr/share/doc/openjdk-17-jre-headless/api"),
    "cppreference": Package("cppreference-doc-en-html", "usr/share/cppreference/doc/html/en"),
}
DEFAULT = ("python", "postgres", "openjdk")


def add_sites(parser: argparse.ArgumentParser, default: Sequence[str] = DEFAULT) -> None:
    """Declare the option that chooses sites."""
    names = f"of {', '.join(PACKAGES)}; FOLDER is an unpacked package or any site"
    parser.add_argument("--sites", nargs="+", default=default, metavar="NAME[=FOLDER]", help=names)


def find(wanted: Sequence[str], cache: Path) -> list[Site]:
    """The sites `NAME` (downloaded once into the cache) or `NAME=FOLDER`."""
    return [_find(*name.partition("=")[::2], cache) for name in wanted]


def warm(site: Site) -> int:
    """Read all files into the page cache; returns their size in bytes."""
    return sum(len(file.read_bytes()) for file in site.root.rglob("*") if file.is_file())


def _find(name: str, folder: str, cache: Path) -> Site:
    package = PACKAGES.get(name)
    if folder:
        root = Path(folder)
    elif package:
        root = unpacked(package, cache)
    else:
        raise BenchFailure(f"unknown site {name}: choose from {', '.join(PACKAGES)} or NAME=FOLDER")
    if package and (root / package.html).is_dir():
        root = root / package.html
    if not (root / "index.html").is_file():
        raise BenchFailure(f"site {name}: no index.html in {root}")
    return Site(name, root.resolve())


def unpacked(package: Package, cache: Path) -> Path:
    """The package's files, downloaded and unpacked on first use."""
    folder = cache / "sites" / package.name
    if not folder.is_dir():
        download = cache / "packages"
        download.mkdir(parents=True, exist_ok=True)
        require(["apt-get", "download", package.name], limit=FETCH_LIMIT, folder=download)
        archive = max(download.glob(f"{package.name}_*.deb"))
        partial = folder.with_suffix(".partial")
        partial.parent.mkdir(parents=True, exist_ok=True)
        require(["dpkg-deb", "-x", archive, partial], limit=FETCH_LIMIT)
        partial.rename(folder)
    return folder
