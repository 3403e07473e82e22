"""What all commands share: exit codes, settings, and how results and progress are printed."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO

import msgspec

from gossamer.entrypoints.local.terminal import (
    fitted,
    is_live,
    with_escaped_controls,
    without_controls,
)
from gossamer.settings import Settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

DONE, FAILED, WRONG_USAGE = 0, 1, 2
INTERRUPTED = 130  # 128 + SIGINT, as shells have it


def settings_of(args: argparse.Namespace) -> Settings:
    """The settings of the environment, overridden by flags."""
    given = {
        name: value
        for name in ("data", "collection", "workers")
        if (value := getattr(args, name, None)) is not None
    }
    return dataclasses.replace(Settings.from_environ(os.environ), **given).checked()


def print_result(args: argparse.Namespace, value: object, text: str) -> None:
    """One JSON object for programs, or text for people."""
    print(encodable(msgspec.json.encode(value).decode(), sys.stdout) if args.json else text)


def cause(error: Exception) -> str:
    """Why a file cannot be used, without the number of the error and its name once more."""
    return getattr(error, "strerror", None) or str(error)


def encodable(line: str, out: TextIO) -> str:
    """Escape in JSON what the encoding of a stream lacks, and what a terminal would obey."""
    try:
        line.encode(out.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(json.loads(line), separators=(",", ":"))
    return with_escaped_controls(line, out)


def write_rows(lines: Iterable[str], format: str, out: TextIO) -> int:
    """Write lines of CSV or JSON; return how many."""
    fit, count = encodable if format == "jsonl" else without_controls, 0
    for count, line in enumerate(lines, 1):  # noqa: B007 counted on purpose
        out.write(fit(line, out))
    return count


def iso_time(at: float) -> str:
    """Seconds since the epoch as ISO 8601; empty for never."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds") if at else ""


def progress(args: argparse.Namespace) -> Callable[[str], None]:
    """A function that rewrites one line on the terminal; "" clears it."""
    return _ignore if args.json or not is_live(sys.stderr) else _rewrite_line


def _ignore(_text: str) -> None:
    """Print nothing."""


def _rewrite_line(text: str) -> None:
    print(f"\r\x1b[K{fitted(text, sys.stderr)}", end="", file=sys.stderr, flush=True)


def names(text: str) -> list[str]:
    """Names with commas between."""
    return [name for part in text.split(",") if (name := part.strip())]
