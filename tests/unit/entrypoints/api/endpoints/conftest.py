"""A home in memory, for what no store has a part in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.settings import Settings
from tests.local_home import open_local

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gossamer.ports.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    opened = open_local(Settings(data=str(tmp_path)))
    yield opened
    opened.close()
