"""`make run`: crawl the demo site or given seeds, rank, and serve the search page."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path

from gossamer.entrypoints.cli.main import main as gossamer
from scripts.demo_site import serve_demo

DEMO_JOB = Path(__file__).with_name("demo.toml")


def main(argv: list[str] | None = None) -> int:
    """Run `gossamer run`, on the demo site without seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="data", help="the data folder")
    parser.add_argument("--port", type=int, default=8800, help="of the demo site")
    parser.add_argument("--search-port", type=int, default=8080, help="of the search page")
    parser.add_argument("--no-serve", action="store_true", help="exit when all is indexed")
    parser.add_argument("seeds", nargs="*", help="crawl these instead of the demo site")
    args = parser.parse_args(argv)
    with ExitStack() as stack:
        if args.seeds:
            data, flags = args.data, [*args.seeds]
        else:
            base = stack.enter_context(serve_demo(args.port))
            print(f"The demo site is served at {base}/ while this runs.\n", file=sys.stderr)
            data = str(Path(args.data) / "demo")
            flags = [f"{base}/", "--config", str(DEMO_JOB), "--allow-private"]
        print(_next_steps(data, flags[0]), file=sys.stderr)
        serving = ["--no-serve"] if args.no_serve else ["--port", str(args.search_port)]
        return gossamer(["run", *flags, "--data", data, *serving])


def _next_steps(data: str, seed: str) -> str:
    return f"""\
Look closer, in another terminal:
  .venv/bin/gossamer search silk --data {data}
  .venv/bin/gossamer explain-url {seed} --data {data}
  .venv/bin/gossamer audit --data {data}
Run `make run` again and nothing is fetched twice; `make clean` forgets the crawl.
"""


if __name__ == "__main__":
    sys.exit(main())
