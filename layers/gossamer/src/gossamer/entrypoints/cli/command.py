"""What all commands share: exit codes, where the collection lies, how a result is printed."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING

import msgspec

from gossamer.settings import Settings

if TYPE_CHECKING:
    import argparse

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
