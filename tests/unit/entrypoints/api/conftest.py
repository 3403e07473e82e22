"""A fake search service behind the API."""

from __future__ import annotations

import pytest

from tests.fake_search import FakeSearch
from tests.unit.entrypoints.api.asking import SERVED


@pytest.fixture
def fake():
    SERVED.service = FakeSearch()
    return SERVED.service
