"""Write what is drawn from the code: JSON Schemas, the life cycle of a URL, and all commands.

python -m scripts.export_schemas            write schemas/, docs/life-cycle.md and docs/cli.md
python -m scripts.export_schemas --check    fail if one of them is stale
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
from gossamer.core.crawl.url_state import END_STATES, Event, State
from gossamer.core.page.templates.template import Template
from gossamer.entrypoints.audit.command import Audit
from gossamer.entrypoints.cli.control import Controlled
from gossamer.entrypoints.cli.explain_url import Biography
from gossamer.entrypoints.cli.stack.seed import Seeded
from gossamer.entrypoints.local.report import Report
from gossamer.messages import AnyMessage
from scripts.cli_reference import cli_reference

ROOT = Path(__file__).resolve().parent.parent / "schemas"
KINDS: dict[str, tuple[type[Any], ...]] = {
    "messages": get_args(AnyMessage),
    "files": (JobConfig, CollectionSettings, Template),
    "output": (Report, Audit, Biography, Controlled, Seeded),
}

SINGLE = {
    "Template": ("match", "actions", "examples"),
    "FieldRule": ("select", "from", "clean"),
    "Example": ("expect",),
}

LIFE_CYCLE_HEAD = """# The life cycle of a URL

`scripts/export_schemas.py` writes this page from the table in
[url_state.py](../layers/gossamer/src/gossamer/core/crawl/url_state.py): change it there. Every
store moves a URL only by these events. An event that does not fit the state is refused, so a
message that comes twice moves a URL once. `tests/contract/test_life_cycle.py` holds every store to
every pair of state and event.

A URL begins as *discovered* or, if scope, traps or quotas say so, as *excluded*.
"""


def rendered() -> dict[Path, str]:
    """Every file and its text."""
    schemas = {
        ROOT / folder / f"{kind.__name__}.json": _text(kind)
        for folder, kinds in KINDS.items()
        for kind in kinds
    }
    docs = ROOT.parent / "docs"
    return {**schemas, docs / "life-cycle.md": life_cycle(), docs / "cli.md": cli_reference()}


def _text(kind: type[Any]) -> str:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    described = msgspec.json.schema(kind)
    if kind is Template:
        _allow_single(described["$defs"])
    return json.dumps(schema | described, indent=2, sort_keys=True) + "\n"


def _allow_single(definitions: dict[str, Any]) -> None:
    """In the file of a template one value may stand for a list of it."""
    for name, keys in SINGLE.items():
        properties = definitions[name]["properties"]
        for key in keys:
            properties[key] = {"anyOf": [properties[key], properties[key]["items"]]}
    fields = definitions["Template"]["properties"]["fields"]  # price = ".price", in [fields]
    choices = definitions["FieldRule"]["properties"]["select"]["anyOf"]
    fields["additionalProperties"] = {"anyOf": [fields["additionalProperties"], *choices]}


def life_cycle() -> str:
    """The page that draws the life cycle of a URL."""
    return "\n".join([LIFE_CYCLE_HEAD, "```mermaid", *_diagram(), "```", "", *_table(), ""])


def _diagram() -> list[str]:
    ends = ", ".join(state for state in State if state in END_STATES)
    arrows: dict[tuple[str, str], list[Event]] = {}
    for event in Event:
        for before in _places(event.before):
            arrows.setdefault((before, event.leads_to), []).append(event)
    lines = [f"    {a} --> {b}: {', '.join(map(str, events))}" for (a, b), events in arrows.items()]
    start = ["    [*] --> discovered", "    [*] --> excluded"]
    return ["stateDiagram-v2", f"    ended: any of {ends}", *start, *lines]


def _places(states: frozenset[State]) -> list[str]:
    """The states, all that are ends as one."""
    if states >= END_STATES:
        return [*(state for state in State if state in states - END_STATES), "ended"]
    return [state for state in State if state in states]


def _table() -> list[str]:
    rows = [
        f"| {event} | {', '.join(_places(event.before))} | {event.leads_to} | {event.why} |"
        for event in Event
    ]
    return ["| event | in state | leads to | when |", "|---|---|---|---|", *rows]


def stale(files: dict[Path, str]) -> list[Path]:
    """Files that differ from the code, and files without a type in the code."""
    known = set(ROOT.rglob("*.json"))
    changed = [
        path for path, text in files.items() if not path.exists() or path.read_text() != text
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
