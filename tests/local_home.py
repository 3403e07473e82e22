"""The embedded home that settings name, for tests that look behind its contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.adapters.local.home import LocalHome, from_settings
from gossamer.homes import decode_body

if TYPE_CHECKING:
    from gossamer.settings import Settings


def open_local(settings: Settings, *, read_only: bool = False) -> LocalHome:
    return from_settings(settings, decode_body, read_only=read_only)
