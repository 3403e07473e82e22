"""Are amounts of money read as price-parser's authors expect them?

The example strings of price-parser's own tests are read by ours. The package is not needed, only
the file with its tests: `pip download --no-deps --no-binary :all: price-parser`, then unpack it.
Those that its authors mark as not read by theirs are counted apart and not judged.
"""

import argparse
import ast
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gossamer.core.page.value_texts import read_money
from gossamer.core.page.value_texts.currencies import code_of
from scripts.bench.failure import BenchFailure
from scripts.bench.report import Claim, Report, Row, at_least, at_most

WANTED = 0.97
MAX_US = 100.0
_PREFIX, _UNREAD = "PRICE_PARSING_EXAMPLES", "XFAIL"


class Example(NamedTuple):
    """A text, what stands beside it of its currency, and the amount that people see in it."""

    group: str
    hint: str
    text: str
    amount: float | None


class Reading(NamedTuple):
    """What was read in an example."""

    example: Example
    amount: float | None

    @property
    def agrees(self) -> bool:
        """Whether it is what was expected."""
        return self.amount == self.example.amount


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--examples", type=Path, help="test_price_parsing.py of price-parser")


def measure(settings: argparse.Namespace) -> Report:
    """Read all examples and compare the amounts."""
    if settings.examples is None:
        return Report("values", [], [], [], {}, notes=["Not measured: --examples is not given."])
    examples = list(examples_in(settings.examples))
    began = time.process_time()
    readings = [Reading(example, _amount(example)) for example in examples]
    us = 1e6 * (time.process_time() - began) / max(1, len(examples))
    return Report(
        question="values",
        rows=_rows(readings),
        claims=_claims(readings, us),
        runs=[_run(reading) for reading in readings if not reading.agrees],
        summary={"us": us},
        notes=[],
    )


def examples_in(path: Path) -> Iterator[Example]:
    """The examples in a file of tests, which is parsed and not run."""
    if not path.is_file():
        raise BenchFailure(f"no such file: {path}; give price-parser's tests by --examples")
    for statement in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.List):
            continue
        name = ast.unparse(statement.targets[0])
        if name.startswith(_PREFIX):
            yield from _of_group(name.removeprefix(_PREFIX).strip("_").lower(), statement.value)


def _of_group(group: str, calls: ast.List) -> Iterator[Example]:
    for call in calls.elts:
        if isinstance(call, ast.Call):
            hint, text, _, _, amount = map(_constant, call.args[:5])
            if text is not None:
                yield Example(group, hint or "", text, None if amount is None else float(amount))


def _constant(node: ast.expr) -> str | None:
    """A literal, or what Decimal is made of, as text."""
    value = ast.literal_eval(node.args[0] if isinstance(node, ast.Call) else node)
    return None if value is None else str(value)


def _amount(example: Example) -> float | None:
    money = read_money(example.text, currency=code_of(example.hint))
    return None if money is None else money.amount


def _is_judged(reading: Reading) -> bool:
    return _UNREAD.lower() not in reading.example.group


def _rows(readings: list[Reading]) -> list[Row]:
    groups = sorted({reading.example.group for reading in readings})
    return [
        _row(group, [each for each in readings if each.example.group == group]) for group in groups
    ]


def _row(group: str, readings: list[Reading]) -> Row:
    return {
        "group": group or "examples",
        "texts": str(len(readings)),
        "agree": str(sum(reading.agrees for reading in readings)),
    }


def _claims(readings: list[Reading], us: float) -> list[Claim]:
    judged = [reading for reading in readings if _is_judged(reading)]
    share = sum(reading.agrees for reading in judged) / max(1, len(judged))
    return [
        at_least(f"amounts as expected, of {len(judged)}", WANTED, share, ".3f"),
        at_most("CPU time of a text", MAX_US, us, ".0f", " us"),
    ]


def _run(reading: Reading) -> dict[str, object]:
    return {**reading.example._asdict(), "read": reading.amount}
