"""A deployed stack for the commands that speak to one."""

from __future__ import annotations

import pytest

from tests.unit.entrypoints.moto_stack import STACK, aws, deploy


@pytest.fixture
def stack():
    with aws():
        deploy()
        yield STACK
