"""Sizes of the Lambda functions: code and layers, unzipped.

    make build                               builds, then calls this
    python -m scripts.layer_sizes FOLDER     of another build; exit code 1 above the budget

AWS allows 250 MB. Our budget is lower, because a cold start reads what it imports.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
BUDGET = 200
MEGABYTE = 1_000_000


class Loader(yaml.SafeLoader):
    """Reads !Ref X as "X" and ignores other intrinsic functions."""


Loader.add_multi_constructor("!", lambda _loader, _tag, node: node.value)


def main(argv: list[str] | None = None) -> int:
    """Print the table; 1 if a function is above the budget, 2 if nothing was built."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / ".aws-sam" / "build")
    folder = parser.parse_args(argv).folder
    template = yaml.load((ROOT / "template.yaml").read_text(), Loader)  # noqa: S506 a SafeLoader
    missing = [name for name in layers_of(template) if not (folder / name).is_dir()]
    if missing:
        print(f"{folder} has no {missing[0]}; run make build first", file=sys.stderr)
        return 2
    rows = sizes(template, folder)
    print(table(rows))
    return int(any(sum(row.values()) > BUDGET * MEGABYTE for row in rows.values()))


def layers_of(template: dict[str, Any]) -> list[str]:
    """The logical names of the layers."""
    resources = template["Resources"].items()
    return [name for name, each in resources if each["Type"] == "AWS::Serverless::LayerVersion"]


def sizes(template: dict[str, Any], folder: Path) -> dict[str, dict[str, int]]:
    """For each function, the bytes of its code and of each of its layers."""
    everywhere = template["Globals"]["Function"]["Layers"]
    layers = {name: size_of(folder / name) for name in layers_of(template)}
    rows = {}
    for name, each in template["Resources"].items():
        if each["Type"] == "AWS::Serverless::Function":
            properties = each["Properties"]
            used = [*everywhere, *properties.get("Layers", [])]
            row = {"code": size_of(ROOT / properties["CodeUri"])}
            rows[name.removesuffix("Function").lower()] = row | {n: layers[n] for n in names(used)}
    return rows


def names(nodes: list[Any]) -> list[str]:
    """Names in a list of !Ref: PyYAML gives elements of a flow list as nodes or strings."""
    return [getattr(node, "value", node) for node in nodes]


def size_of(folder: Path) -> int:
    """Bytes of all files."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sum(path.stat().st_size for path in files)


def table(rows: dict[str, dict[str, int]]) -> str:
    """The sizes in megabytes, as Markdown."""
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    lines = [["function", *(name.removesuffix("Layer").lower() for name in columns), "all"]]
    lines.append(["---", *("---:" for _ in (*columns, "all"))])
    for function, row in rows.items():
        cells = [f"{row[name] / MEGABYTE:.1f}" if name in row else "" for name in columns]
        lines.append([function, *cells, f"{sum(row.values()) / MEGABYTE:.1f}"])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
