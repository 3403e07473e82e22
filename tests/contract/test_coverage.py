"""Every method of every port is called by some contract test."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gossamer import ports
from gossamer.adapters.aws.home import AwsHome
from gossamer.adapters.local.home import LocalHome
from gossamer.homes import decode_body
from gossamer.ports.home import Home

if TYPE_CHECKING:
    from gossamer.ports.admin.stack import StackHome

# No store is behind these: they have tests of their own (adapters/http, local/processes, search,
# and the commands of a stack).
ELSEWHERE = ("fetcher", "parser", "search", "stack")
HERE = Path(__file__).parent
CALLED = set(re.findall(r"\.(\w+)", "".join(f.read_text() for f in HERE.glob("test_*.py"))))


def protocols() -> list[type]:
    names = [module.name for module in pkgutil.iter_modules(ports.__path__)]
    modules = [importlib.import_module(f"gossamer.ports.{n}") for n in names if n not in ELSEWHERE]
    return [
        found
        for module in modules
        for found in vars(module).values()
        if getattr(found, "_is_protocol", False) and found.__module__ == module.__name__
    ]


@pytest.mark.parametrize("port", protocols(), ids=lambda port: port.__name__)
def test_a_contract_test_calls_every_method(port: type):
    methods = {name for name in vars(port) if not name.startswith("_")}

    assert methods - CALLED == set()


def test_both_homes_satisfy_the_contract(tmp_path: Path):
    """mypy checks the assignments; this checks the names."""

    def local(home: LocalHome) -> Home:
        return home

    def cloud(home: AwsHome) -> StackHome:
        return home

    assert callable(local)
    assert callable(cloud)
    wanted = {name for name in dir(Home) if not name.startswith("_")}
    assert wanted - set(dir(LocalHome(None, tmp_path, decode_body))) == set()
    assert wanted - set(dir(AwsHome)) - set(AwsHome.__dataclass_fields__) == set()
