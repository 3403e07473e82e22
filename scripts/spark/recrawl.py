"""Plan which URLs of a job are fetched again, from URLs in Parquet.

Tasks judge the URLs, as `batch.recrawl` does; the budget is shared out where all rates are known,
in the driver: eight bytes for each URL. The plan is written as JSON lines, the most urgent first.
EMR Serverless does not reach SQS without a VPC, so the plan in the folder --plan is sent by the
function RECRAWL: `gossamer --stack NAME bulk recrawl` hands it the lines.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gossamer import homes
from gossamer.batch.recrawl import Gathered, gather, is_visited, plan_of, policy_of
from gossamer.core.crawl.url_record import UrlRecord
from gossamer.entrypoints.lambdas.recrawl import with_earned
from scripts.spark.rows import home_settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from pyspark.sql import Row, SparkSession

    from gossamer.batch.recrawl import Plan
    from gossamer.core.revisit.policy import Policy

LINE = ("url", "host", "purpose", "depth", "hops", "slot", "rate", "tries")
_RECORD = msgspec.msgpack.Decoder(UrlRecord)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is read, for which job, and what is done with the plan."""
    parser.add_argument("--input", required=True, help="Parquet of `gossamer export --what urls`")
    parser.add_argument("--name", default="crawl", metavar="JOB", help="of the crawl")
    parser.add_argument("--budget", type=float, default=None, help="requests a day")
    parser.add_argument("--most", type=int, default=None, help="URLs of the plan")
    parser.add_argument("--now", type=float, default=None, help="seconds since 1970; default now")
    parser.add_argument("--output", default="", metavar="FILE", help="JSON lines of the plan")
    parser.add_argument(
        "--plan", default="", metavar="FOLDER", help="the plan as text files, to be sent to the job"
    )


def check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """A plan must go somewhere."""
    if not args.output and not args.plan:
        parser.error("give --output FILE, --plan FOLDER, or both")


def run(spark: SparkSession, args: argparse.Namespace) -> dict[str, object]:
    """Gather, plan and write."""
    home = homes.open_home(home_settings())
    job = home.jobs.get(args.name)
    if job is None:
        raise SystemExit(f"there is no job {args.name!r}; known: {', '.join(home.jobs.names())}")
    now = time.time() if args.now is None else args.now
    config = job.config.recrawl
    if args.budget is not None:
        config = msgspec.structs.replace(config, budget=args.budget)
    gathered = _gathered(spark, args, now, policy_of(config))
    plan = plan_of(gathered, home.hosts, args.name, now, config, most=args.most)
    if args.output:
        Path(args.output).write_text("".join(f"{line}\n" for line in _lines(plan)))
    if args.plan:
        plan = with_earned(home, job, plan)
        rows = [(line,) for line in _lines(plan)]
        spark.createDataFrame(rows, "value string").write.mode("overwrite").text(args.plan)
    home.close()
    return {"urls": plan.urls, "due": plan.due, "chosen": len(plan.chosen)}


def _lines(plan: Plan) -> list[str]:
    """Return a line of JSON for each URL: what is asked for, and when that was done last."""
    facts = ({name: getattr(url, name) for name in LINE} for url in plan.chosen)
    return [msgspec.json.encode(line).decode() for line in facts]


def _gathered(
    spark: SparkSession, args: argparse.Namespace, now: float, policy: Policy
) -> Gathered:
    urls = spark.read.parquet(args.input)
    ours = urls.where(urls.job == args.name).rdd
    found = Gathered()
    for part in ours.mapPartitions(partial(_judge, now=now, policy=policy)).toLocalIterator():
        found.join(part)
    return found


def _judge(rows: Iterable[Row], now: float, policy: Policy) -> Iterator[Gathered]:
    records = (_RECORD.decode(bytes(row.record)) for row in rows)
    yield gather((record for record in records if is_visited(record)), now, policy)
