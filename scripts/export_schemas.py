"""Write JSON Schemas of queue messages, job files and the output of --json.

python scripts/export_schemas.py            write schemas/
python scripts/export_schemas.py --check    fail if schemas/ is stale
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, get_args

import msgspec

from gossamer.core.collection import CollectionSettings
from gossamer.core.crawl.job import JobConfig
from gossamer.entrypoints.audit.command import Audit
from gossamer.entrypoints.cli.control import Controlled
from gossamer.entrypoints.cli.explain_url import Biography
from gossamer.entrypoints.cli.stack.seed import Seeded
from gossamer.entrypoints.local.report import Report
from gossamer.messages import AnyMessage

ROOT = Path(__file__).resolve().parent.parent / "schemas"
KINDS: dict[str, tuple[type[Any], ...]] = {
    "messages": get_args(AnyMessage),
    "files": (JobConfig, CollectionSettings),
    "output": (Report, Audit, Biography, Controlled, Seeded),
}


def rendered() -> dict[Path, str]:
    """Every schema file and its text."""
    return {
        ROOT / folder / f"{kind.__name__}.json": _text(kind)
        for folder, kinds in KINDS.items()
        for kind in kinds
    }


def _text(kind: type[Any]) -> str:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(schema | msgspec.json.schema(kind), indent=2, sort_keys=True) + "\n"


def stale(files: dict[Path, str]) -> list[Path]:
    """Files that differ from the code, and files without a type in the code."""
    known = set(ROOT.rglob("*.json"))
    changed = [
        path for path, text in files.items() if path not in known or path.read_text() != text
    ]
    return sorted([*changed, *(known - set(files))])


def main(argv: list[str] | None = None) -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="only list what is stale")
    args = parser.parse_args(argv)
    files = rendered()
    different = stale(files)
    if args.check:
        for path in different:
            print(f"stale: {path.relative_to(ROOT.parent)}; run `make format`", file=sys.stderr)
        return 1 if different else 0
    for path in different:
        if path in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path])
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
