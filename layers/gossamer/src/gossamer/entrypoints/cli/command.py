"""What all commands share: exit codes, settings, and how results and progress are printed."""

from __future__ import annotations

import dataclasses
import os
import sys
from typing import TYPE_CHECKING

import msgspec

from gossamer.settings import Settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

DONE, FAILED, WRONG_USAGE = 0, 1, 2


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
    print(msgspec.json.encode(value).decode() if args.json else text)


def progress(args: argparse.Namespace) -> Callable[[str], None]:
    """A function that rewrites one line on the terminal; "" clears it."""
    return _ignore if args.json or not sys.stderr.isatty() else _rewrite_line


def _ignore(_text: str) -> None:
    """Print nothing."""


def _rewrite_line(text: str) -> None:
    print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
