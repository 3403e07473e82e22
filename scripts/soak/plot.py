"""Plot a soak on one page."""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from scripts.soak.record import Record
from scripts.soak.sampling import Process, Sample
from scripts.soak.verdicts import MAX_QUEUE_AGE, is_crawling

INCHES = (11.7, 16.5)  # A3, upright
KILL, OUTAGE = "tab:red", "tab:purple"
TRANSPARENCY = 0.5

Of = Callable[[Sample], float | None]
Line = tuple[str, Of]


def draw(record: Record, file: Path) -> bool:
    """Draw a PNG; False if matplotlib is not installed."""
    try:
        matplotlib: Any = import_module("matplotlib")
    except ImportError:
        return False
    matplotlib.use("agg")
    pyplot: Any = import_module("matplotlib.pyplot")
    figure, panels = pyplot.subplots(7, 1, figsize=INCHES, sharex=True, layout="constrained")
    _draw_samples(panels, record)
    _draw_windows(panels, record)
    for panel in panels:
        _mark(panel, record)
        panel.set_ylim(bottom=0)
        panel.grid(alpha=0.3)
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small")
    panels[-1].set_xlabel("minutes; red: the crawl is killed, purple: the server is restarted")
    figure.suptitle(
        f"{record.plan.seconds / 60:g} minutes, {record.rounds} rounds,"
        f" {len(record.kills)} kills, {len(record.outages)} restarts of the server"
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=80)
    pyplot.close(figure)
    return True


def _draw_samples(panels: Sequence[Any], record: Record) -> None:
    memory, handles, depth, age, *_, files = panels
    _lines(memory, "resident memory, MB", record, _each(lambda p: p.usage.rss_mb))
    _lines(handles, "handles", record, _each(lambda p: p.usage.handles))
    _lines(handles, "handles, threads", record, _each(lambda p: p.usage.threads, " (threads)"))
    _lines(depth, "messages", record, [("waiting", lambda s: s.depth)])
    label = f"of a crawl\nafter {MAX_QUEUE_AGE:g} s"
    _lines(age, "oldest due message, s", record, [(label, _oldest)])
    sizes: list[Line] = [
        ("database", lambda s: s.database_mb),
        ("write-ahead log", lambda s: s.log_mb),
        ("WARC", lambda s: s.warc_mb),
    ]
    _lines(files, "files, MB", record, sizes)


def _each(of: Callable[[Process], float], note: str = "") -> list[Line]:
    """One line each for the server, the crawl and the indexing."""

    def crawl(task: str) -> Of:
        return lambda s: of(s.crawl) if s.crawl is not None and s.crawl.task == task else None

    return [
        (f"server{note}", lambda s: of(s.server) if s.server is not None else None),
        (f"crawl{note}", crawl("crawl")),
        (f"index{note}", crawl("index")),
    ]


def _oldest(sample: Sample) -> float | None:
    return sample.oldest if is_crawling(sample) else None


def _lines(panel: Any, title: str, record: Record, lines: Sequence[Line]) -> None:
    minutes = [(sample.at - record.began_at) / 60 for sample in record.samples]
    for label, of in lines:
        values = [value if (value := of(s)) is not None else float("nan") for s in record.samples]
        marker = "." if label.startswith("index") else ""
        panel.plot(minutes, values, label=label, linewidth=1, marker=marker, markersize=3)
    panel.set_ylabel(title)


def _draw_windows(panels: Sequence[Any], record: Record) -> None:
    latency, rate = panels[4], panels[5]
    windows = list(record.windows())
    minutes = [(window["at"] + 5) / 60 for window in windows]
    for name in ("p50_ms", "p99_ms"):
        values = [w["searches"][name] if w["searches"] else float("nan") for w in windows]
        latency.plot(minutes, values, label=name.removesuffix("_ms"), linewidth=1, marker=".")
    latency.set_ylabel("search, ms")
    for name in ("requests", "pages"):
        values = [w[f"{name}_per_second"] for w in windows]
        rate.plot(minutes, values, label=name, linewidth=1, marker=".")
    rate.set_ylabel("per second")


def _mark(panel: Any, record: Record) -> None:
    for at in record.kills:
        panel.axvline((at - record.began_at) / 60, color=KILL, linewidth=0.6, alpha=TRANSPARENCY)
    for outage in record.outages:
        begin, end = ((t - record.began_at) / 60 for t in (outage.began_at, outage.ended_at))
        panel.axvspan(begin, end, color=OUTAGE, alpha=TRANSPARENCY)
    for phase in record.phases:
        if not phase.crawls:
            begin, end = ((t - record.began_at) / 60 for t in (phase.begin, phase.end))
            panel.axvspan(begin, end, color="tab:green", alpha=0.1)
