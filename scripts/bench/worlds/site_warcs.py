"""WARC files of real sites, crawled by Gossamer once and kept in the cache."""

import argparse
import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from scripts.bench.contenders.gossamer_cli import Gossamer
from scripts.bench.failure import BenchFailure
from scripts.bench.machine.progress import log
from scripts.bench.worlds.debian_sites import Site
from scripts.bench.worlds.nginx import LOOPBACK, serve

FACTS = "facts.json"  # written last, so a folder without it is incomplete


@dataclass(frozen=True, slots=True)
class SiteWarc:
    """The WARC files of a site."""

    files: list[Path]
    pages: int


def warc_of(site: Site, settings: argparse.Namespace) -> SiteWarc:
    """The WARC files of a whole site."""
    folder: Path = settings.cache / "warcs" / site.name
    if not (folder / FACTS).exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        pages = _crawl(site, folder, settings)
        (folder / FACTS).write_text(json.dumps({"pages": pages}) + "\n")
    facts = json.loads((folder / FACTS).read_text())
    return SiteWarc(sorted(folder.glob("*.warc.gz")), facts["pages"])


def _crawl(site: Site, folder: Path, settings: argparse.Namespace) -> int:
    log(f"{site.name}: crawling it to get its WARC files")
    with (
        tempfile.TemporaryDirectory(dir=settings.cache, prefix="run-") as data,
        serve({LOOPBACK: site.root}, port=settings.port) as server,
    ):
        gossamer = Gossamer(settings.gossamer, Path(data), settings.limit)
        finished, said = gossamer.crawl([f"{server.origin()}/"])
        if finished.code != 0:
            raise BenchFailure(f"crawl of {site.name}: exit {finished.code}: {said}")
        for file in Path(data).rglob("*.warc.gz"):
            shutil.copy(file, folder)
        return int(said["pages"])
