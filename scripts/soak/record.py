"""Everything that was measured during a soak."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from scripts.bench.machine.percentiles import times
from scripts.soak.asking import Answered
from scripts.soak.crawling import Life
from scripts.soak.plan import WARM_UP, Phase, Plan
from scripts.soak.sampling import Sample
from scripts.soak.serving import Outage

WINDOW = 10.0  # seconds


@dataclass(slots=True)
class Record:
    """All measurements; times are seconds since the epoch."""

    plan: Plan
    began_at: float
    phases: list[Phase] = field(default_factory=list)  # with their real times
    samples: list[Sample] = field(default_factory=list)
    answers: list[Answered] = field(default_factory=list)
    outages: list[Outage] = field(default_factory=list)
    kills: list[float] = field(default_factory=list)
    lives: list[Life] = field(default_factory=list)
    rounds: int = 0
    orphans: int = 0
    crawl_failures: list[str] = field(default_factory=list)
    server_failures: int = 0
    server_complaints: str = ""

    def searches(self, phase: str) -> list[Answered]:
        """The successful searches of a phase."""
        spans = [(p.begin, p.end) for p in self.phases if p.name == phase]
        return [
            answer
            for answer in self.answers
            if answer.is_search
            and answer.code == 200
            and any(begin <= answer.at and answer.ended_at <= end for begin, end in spans)
        ]

    def after_warm_up(self) -> list[Sample]:
        """The samples that are compared with each other."""
        end = max((phase.end for phase in self.phases if phase.name == WARM_UP), default=0.0)
        return [sample for sample in self.samples if sample.at >= end]

    def windows(self) -> Iterator[dict[str, Any]]:
        """Ten seconds at a time, for the JSON file and for the plot."""
        last = max((sample.at for sample in self.samples), default=self.began_at)
        begin = self.began_at
        while begin < last:
            samples = [s for s in self.samples if begin <= s.at < begin + WINDOW]
            if samples:
                yield {"at": round(begin - self.began_at, 1)} | self._window(begin, samples)
            begin += WINDOW

    def _window(self, begin: float, samples: list[Sample]) -> dict[str, Any]:
        first, last = samples[0], samples[-1]
        seconds = max(last.at - first.at, 1.0)
        ms = [
            a.ms for a in self.answers if begin <= a.at < begin + WINDOW and a.code and a.is_search
        ]
        return {
            "server": _of(last, "server"),
            "crawl": _of(last, "crawl"),
            "depth": max(s.depth for s in samples),
            "oldest": max(s.oldest for s in samples),
            "requests_per_second": round((last.requests - first.requests) / seconds, 1),
            "pages_per_second": round((last.pages - first.pages) / seconds, 1),
            "database_mb": round(last.database_mb, 2),
            "log_mb": round(last.log_mb, 2),
            "warc_mb": round(last.warc_mb, 2),
            "searches": times(ms).record() if ms else None,
        }


def _of(sample: Sample, name: str) -> dict[str, Any] | None:
    process = getattr(sample, name)
    if process is None:
        return None
    return {"task": process.task, "age": round(process.age, 1), **asdict(process.usage)}
