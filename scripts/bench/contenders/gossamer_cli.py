"""Gossamer, run through its command line as a user would."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.bench.failure import BenchFailure
from scripts.bench.machine.processes import Finished, require, run
from scripts.bench.machine.running import Command
from scripts.bench.worlds.reachable_pages import Edge
from scripts.bench.worlds.site_urls import site_path

# States of a URL whose page is stored. One left in `fetched` counts as missing.
PAGE_STATES = {"parsed", "indexed", "duplicate", "unchanged"}
EXPORT_LIMIT = 600.0  # seconds


@dataclass(frozen=True, slots=True)
class Gossamer:
    """The program under test and its data folder."""

    program: Path
    data: Path
    limit: float

    def crawl(self, seeds: Sequence[str]) -> tuple[Finished, dict[str, Any]]:
        """Crawl without delay; returns the process and Gossamer's own report."""
        settings: Command = ["--data", self.data, "--delay", "0", "--allow-private", "--json"]
        finished = self._run(["crawl", *seeds, *settings, *self._only_crawl()])
        return finished, _report(finished)

    def _only_crawl(self) -> Command:
        """Other crawlers do not index either; an earlier version never did."""
        known = self._run(["crawl", "--help"]).output
        return ["--no-index"] if "--no-index" in known else []

    def pages(self, origin: str) -> set[str]:
        """Paths of the pages of this host that Gossamer exports."""
        held = (row["url"] for row in self._rows("urls") if row["state"] in PAGE_STATES)
        return {found for url in held if (found := site_path(url, origin))}

    def edges(self, origin: str) -> Iterator[Edge]:
        """Links within this host that Gossamer exports."""
        for row in self._rows("edges"):
            source, end = site_path(row["source"], origin), site_path(row["target"], origin)
            if source and end:
                yield source, end

    def audit(self) -> dict[str, Any]:
        """Gossamer's own audit of its politeness."""
        return _report(self._run(["audit", "--data", self.data, "--json"]))

    def _run(self, arguments: Command) -> Finished:
        if not self.program.exists():
            raise BenchFailure(f"no {self.program}: install the project or give --gossamer")
        return run([self.program, *arguments], limit=self.limit)

    def _rows(self, what: str) -> Iterator[dict[str, Any]]:
        command = ["export", "--what", what, "--format", "jsonl", "--data", str(self.data)]
        output = require([self.program, *command], limit=EXPORT_LIMIT)
        return (json.loads(line) for line in output.splitlines() if line)


def _report(finished: Finished) -> dict[str, Any]:
    """The JSON object on stdout; without one, the exit code and stderr."""
    try:
        report: dict[str, Any] = json.loads(finished.output)
    except json.JSONDecodeError:
        return {"exit": finished.code, "errors": finished.errors[-2000:]}
    return report
