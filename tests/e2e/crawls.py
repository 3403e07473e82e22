"""How does a test crawl, and how does it compare what was found with the truth?"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warcio.archiveiterator import ArchiveIterator

from gossamer.entrypoints.audit.command import Audit, audit
from gossamer.entrypoints.cli.export import export
from gossamer.settings import Settings
from tests.local_home import open_local
from tests.sites.generated import Fate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gossamer.adapters.local.home import LocalHome
    from tests.sites.generated import Server, Site, Truth

GOSSAMER = str(Path(sys.executable).with_name("gossamer"))
PATIENCE = 500.0  # seconds; only against what hangs: it takes a few, on a busy machine many


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("GOSSAMER_")}


def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The real command, to its end."""
    return subprocess.run(
        [GOSSAMER, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=cwd,
        env=environment(),
    )


def crawl_flags(seeds: str, data: Path, *flags: object) -> list[str]:
    polite = ["--delay", "0", "--allow-private", "--retry-wait", "0.05", "--json", "--quiet"]
    return ["crawl", *seeds.split(), "--data", str(data), *polite, *map(str, flags)]


NOT_INDEXED = {True: (), False: ("--no-index",)}


def crawl(seeds: str, data: Path, *flags: object, index: bool = False) -> dict[str, Any]:
    """A crawl that succeeds, and its report; without an index unless a test needs it."""
    done = run(*crawl_flags(seeds, data, *flags), *NOT_INDEXED[index])
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return dict(json.loads(done.stdout))


@contextlib.contextmanager
def crawling(
    seed: str, data: Path, *flags: object, index: bool = False
) -> Iterator[subprocess.Popen[str]]:
    """A crawl in the background; killed if it still runs at the end."""
    with subprocess.Popen(
        [GOSSAMER, *crawl_flags(seed, data, *flags), *NOT_INDEXED[index]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment(),
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def await_that(condition: Callable[[], bool], what: str, patience: float = PATIENCE) -> None:
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.002)


def await_requests(server: Server, count: int, process: subprocess.Popen[str]) -> None:
    """Wait until the server has had so many requests, or the crawl is over."""
    await_that(lambda: len(server.log) >= count or process.poll() is not None, f"{count} requests")


def hold_after(server: Server, count: int, process: subprocess.Popen[str]) -> None:
    """Wait for so many requests more, and let the crawl get no answer after them."""
    server.hold(after=len(server.log) + count)
    await_requests(server, len(server.log) + count + 1, process)


@contextlib.contextmanager
def opened(data: Path) -> Iterator[LocalHome]:
    home = open_local(Settings(data=str(data)), read_only=True)
    try:
        yield home
    finally:
        home.close()


def exported(data: Path, what: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    with opened(data) as home:
        export(home, what, "jsonl", out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


@dataclass(frozen=True)
class Found:
    """Fates and edges, with all twins called by one name: which one came first is chance."""

    fates: dict[str, Fate]
    edges: set[tuple[str, str, bool]]


def found(data: Path, site: Site) -> Found:
    """What a crawl found."""
    return found_in(exported(data, "urls"), exported(data, "edges"), site)


def found_in(urls: list[dict[str, Any]], links: list[dict[str, Any]], site: Site) -> Found:
    """What a crawl found, from its exports."""
    fates = {
        row["url"]: Fate(
            row["state"], row["reason"], row["target"], row["depth"] if row["tries"] else -1
        )
        for row in urls
        if row["reason"] != "sitemap"  # which is no page: asked about on its own
    }
    edges = {(e["source"], e["target"], e["nofollow"]) for e in links}
    return _without_chance(fates, edges, site)


def expected(truth: Truth, site: Site) -> Found:
    """What it had to find."""
    return _without_chance(dict(truth.fates), truth.edges, site)


def _without_chance(fates: dict[str, Fate], edges: set[tuple[str, str, bool]], site: Site) -> Found:
    names: dict[str, str] = {}
    for group in site.twins:
        met = [u for u in sorted(group) if u in fates and fates[u].state in ("parsed", "duplicate")]
        owners = [url for url in met if fates[url].state == "parsed"]
        copies = [url for url in met if fates[url].state == "duplicate"]
        assert not copies or (len(owners) == 1 and {fates[u].target for u in copies} == {*owners})
        for url in met:
            fates[url] = replace(fates[url], state="parsed", reason="document", target="")
        if len({url.rpartition("/")[0] for url in group}) == 1:  # equal links are read once
            names |= dict.fromkeys(group, min(group))
    return Found(fates, {(names.get(source, source), *rest) for source, *rest in edges})  # type: ignore[misc]


def warc_files(data: Path) -> list[Path]:
    return sorted((data / "warc" / "web").glob("*.warc.gz"))


def audited(data: Path) -> Audit:
    return audit(warc_files(data))


def check_warc(data: Path) -> int:
    """Read every record with another's reader, digests included; returns how many."""
    count = 0
    for path in warc_files(data):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.content_stream().read()
                count += 1
    return count


def reconciles(report: Any) -> bool:
    """Whether a ledger explains every URL."""
    return not report["unexplained"] and sum(report["by_state"].values()) == report["urls"]
