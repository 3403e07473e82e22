"""The command `gossamer --stack NAME bulk`: rank, recrawl or reindex on Spark.

For collections that a function cannot read in its fifteen minutes. What the jobs read is exported
from here first; then job after job runs on the EMR Serverless application of the stack, and the
last one publishes. docs/bulk.md says what each job does.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gossamer import homes
from gossamer.core.errors import ConfigurationError
from gossamer.entrypoints.cli.command import DONE, FAILED, print_result
from gossamer.entrypoints.cli.stack.home import job_of
from gossamer.ports.admin.bulk import MAX_JOB_HOURS, SUCCESS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.entrypoints.cli.stack.home import Stack
    from gossamer.ports.admin.bulk import Cluster, Run
    from gossamer.ports.admin.stack import StackHome
    from gossamer.ports.home import Home

EVERY = 10.0  # seconds between two looks at a job
SEND = "send"  # the last step of recrawl, which is no job of Spark
URLS_PER_CALL = 500  # of a plan; a call has 6 MB at most, a URL two kilobytes
ABOUT = """\
Rank, plan revisits or build the index of a stack on Spark (EMR Serverless), for collections that do
not fit into a function: from about two million pages (rank) or thirty million URLs (recrawl) on.

  gossamer --stack gossamer-dev bulk rank                 links → ranks, names, a new index
  gossamer --stack gossamer-dev bulk recrawl --most 50000 plan revisits, and let RECRAWL send them
  gossamer --stack gossamer-dev bulk reindex              stored documents → a new index
  gossamer --stack gossamer-dev bulk rank --exported --from names     go on after a failure

What it needs:
  1. the stack deployed with SparkRank=true (idle it costs nothing) and RankSchedule=DISABLED
  2. the code in the bucket, from a checkout: python -m scripts.spark.submit --stack NAME code
  3. pip install pyarrow here, for the export; nothing may be indexed until the index is published

The old index answers until the last job has published the new one. Ctrl-C stops the following, not
the job; --from goes on with the next one."""


IN_BUCKET = "bucket:"


class Step(NamedTuple):
    """One job, and its arguments."""

    job: str
    arguments: tuple[str, ...]


class Work(NamedTuple):
    """What is exported, and the jobs in their order."""

    exports: tuple[str, ...]
    steps: tuple[Step, ...]


class Finished(msgspec.Struct, kw_only=True):
    """What came of it."""

    work: str
    exported: dict[str, int] = {}  # rows
    runs: dict[str, str] = {}  # job → id of its run
    state: str = SUCCESS
    failed: str = ""  # which job
    details: str = ""
    core_hours: float = 0.0
    gb_hours: float = 0.0
    sent: int = 0  # URLs of a plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, and how."""
    parser.description = ABOUT
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("work", choices=("rank", "recrawl", "reindex"), help="what to do")
    add("--exported", action="store_true", help="use what was exported before")
    add("--from", dest="begin", metavar="JOB", default="", help="leave out the jobs before this")
    add(
        "--max-hours",
        type=float,
        default=MAX_JOB_HOURS,
        metavar="HOURS",
        help=f"end a job that takes longer (default: {MAX_JOB_HOURS:g})",
    )
    add("--conf", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark")
    add("--job", help="recrawl: of which crawl; default: the latest")
    add("--budget", type=float, help="recrawl: requests a day")
    add("--most", type=int, help="recrawl: URLs of the plan")


def run_on_stack(args: argparse.Namespace, stack: Stack) -> int:
    """Export, run the jobs and follow them; exit 1 if one fails."""
    collection = stack.home.collection
    if args.max_hours <= 0:
        raise ConfigurationError("--max-hours must be a number above 0, for example 24")
    conf = _settings(args.conf)
    cluster = homes.bulk_cluster(stack.deployment, collection, conf, args.max_hours)
    cluster.check()
    work = _from(args.begin, work_of(args, stack, cluster))
    done = Finished(work=args.work)
    if not args.exported:
        done.exported = export(stack.home, cluster, work.exports)
    follow(cluster, [step for step in work.steps if step.job != SEND], done, time.sleep)
    if args.work == "recrawl" and done.state == SUCCESS:
        job = job_of(stack.home, args.job).job
        done.sent = send(stack.home, cluster, job)
    print_result(args, done, _to_text(done))
    return DONE if done.state == SUCCESS else FAILED


def _settings(given: Sequence[str]) -> dict[str, str]:
    if wrong := [each for each in given if "=" not in each]:
        raise ConfigurationError(f"--conf {wrong[0]}: write NAME=VALUE, as spark.executor.cores=4")
    return dict(each.split("=", 1) for each in given)


def work_of(args: argparse.Namespace, stack: Stack, cluster: Cluster) -> Work:
    """The jobs of what was asked for."""
    if args.work == "recrawl":
        plan = _recrawl(args, job_of(stack.home, args.job).job)
        return Work(("urls",), (plan, Step(SEND, ())))
    documents, named = ("--documents", "bucket:documents"), ("--names", "bucket:names")
    similar = Step("near_duplicates", ("--input", "bucket:documents", "--output", "bucket:similar"))
    founders = ("--founders", "bucket:similar/founders")
    clusters = ("--clusters", "bucket:similar/clusters")
    if args.work == "reindex":
        names = named if cluster.has("names") else ()  # of the last ranking
        publish = Step("segments", (*documents, *clusters, *names))
        return Work(("documents",), (similar, Step("load", founders), publish))
    ranked = ("--edges", "bucket:edges", "--ranks", "bucket:ranks", *documents)
    nodes = ("--nodes", "bucket:documents")
    steps = (
        Step("rank", ("--input", "bucket:edges", *nodes, "--output", "bucket:ranks")),
        Step("names", (*ranked, "--output", "bucket:names")),
        Step("worths", (*ranked, "--output", "bucket:worths")),
        similar,
        Step("load", (*named, "--worths", "bucket:worths", *founders)),
        Step("segments", (*documents, *clusters, *named)),
    )
    return Work(("documents", "edges"), steps)


def _recrawl(args: argparse.Namespace, job: str) -> Step:
    given = ("budget", args.budget), ("most", args.most)
    limits = [text for name, n in given if n is not None for text in (f"--{name}", f"{n:g}")]
    plan = ("--plan", f"{IN_BUCKET}{_plan_of(job)}")
    return Step("recrawl", ("--input", "bucket:urls", "--name", job, *limits, *plan))


def _plan_of(job: str) -> str:
    return f"plans/{job}"


def send(home: StackHome, cluster: Cluster, job: str) -> int:
    """Hand the plan of a job to the function RECRAWL; return the number of URLs."""
    lines = cluster.lines(_plan_of(job))
    sent = 0
    while urls := list(islice(lines, URLS_PER_CALL)):
        part = {"job": job, "plan": [msgspec.Raw(line) for line in urls]}
        home.ask(f"{home.stack}-recrawl", [msgspec.json.encode(part)])
        sent += len(urls)
    _tell(f"sent {sent:,} URLs")
    return sent


def _from(begin: str, work: Work) -> Work:
    names = [step.job for step in work.steps]
    if not begin:
        return work
    if begin not in names:
        raise ConfigurationError(f"--from {begin}: the jobs are {', '.join(names)}")
    return work._replace(steps=work.steps[names.index(begin) :])


def export(home: Home, cluster: Cluster, what: Sequence[str]) -> dict[str, int]:
    """Write what the jobs read into the bucket; returns how many rows each has."""
    from gossamer.entrypoints.lambdas.parquet import write_parquet  # numpy: only this needs it

    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in what:
            file = str(Path(folder) / name)
            rows[name] = write_parquet(home, name, file)
            cluster.put(name, file)
            _tell(f"exported {rows[name]:,} {name}")
            Path(file).unlink()
    return rows


def follow(
    cluster: Cluster, steps: Sequence[Step], done: Finished, sleep: Callable[[float], None]
) -> None:
    """Run job after job until one fails."""
    for step in steps:
        run = _follow(cluster, step, done, sleep)
        done.core_hours += run.core_hours
        done.gb_hours += run.gb_hours
        if run.state != SUCCESS:
            done.state, done.failed, done.details = run.state, step.job, run.details
            return


def _follow(cluster: Cluster, step: Step, done: Finished, sleep: Callable[[float], None]) -> Run:
    id = cluster.start(step.job, step.arguments)
    done.runs[step.job] = id
    state = ""
    while not (run := cluster.look(id)).has_ended:
        if run.state != state:
            _tell(f"{step.job} ({id}): {run.state.lower()}")
            state = run.state
        sleep(EVERY)
    _tell(f"{step.job} ({id}): {run.state.lower()}")
    return run


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _to_text(done: Finished) -> str:
    used = f"{done.core_hours:.2f} vCPU-hours, {done.gb_hours:.2f} GB-hours"
    if done.state == SUCCESS:
        sent = f", {done.sent:,} URLs sent" if done.work == "recrawl" else ""
        return f"{done.work}: {len(done.runs)} jobs done{sent}, {used}"
    return (
        f"{done.work}: the job {done.failed} ended as {done.state}"
        + (f": {done.details}" if done.details else "")
        + f"; {used}\nits log: EMR Serverless in the console, run {done.runs[done.failed]};"
        f" then: bulk {done.work} --exported --from {done.failed}"
    )
