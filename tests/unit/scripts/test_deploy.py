"""Does a later deployment keep what a stack has?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.errors import MissingResource, PermanentError
from scripts import deploy
from scripts.account_limits import KEPT_FREE, READERS, fit
from tests.topology.template import functions, load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PROFILE = {"Stage": "dev", "FetchConcurrency": "5"}


@pytest.mark.parametrize(
    ("known", "given", "told"),
    [
        ({}, {"Contact": "a@b.org"}, PROFILE | {"Contact": "a@b.org"}),
        ({"Stage": "dev", "FetchConcurrency": "50", "Contact": "a@b.org"}, {}, {}),
        ({"Stage": "dev"}, {}, {"FetchConcurrency": "5"}),  # new in the template
        ({"Stage": "dev", "FetchConcurrency": "5"}, {"LogDays": "3"}, {"LogDays": "3"}),
    ],
)
def test_sam_is_told_what_is_new_and_what_was_given(known, given, told):
    assert deploy.overrides(PROFILE, known, given) == told


class Account:
    """CloudFormation with one stack, or none."""

    def __init__(self, parameters: dict[str, str] | None, free: int = 1000) -> None:
        self.parameters, self.free = parameters, free
        self.protected: list[dict[str, Any]] = []
        self.check: Callable[[str], None] = lambda _operation: None

    def call(self, _service: str, operation: str, _on: str, **parameters: Any) -> Any:
        self.check(operation)
        if operation == "UpdateTerminationProtection":
            self.protected.append(parameters)
            return {}
        if operation == "GetAccountSettings":
            return {"AccountLimit": {"UnreservedConcurrentExecutions": self.free}}
        if self.parameters is None:
            raise MissingResource("there is no stack gossamer")
        kept = self.parameters.items()
        named = [{"ParameterKey": name, "ParameterValue": value} for name, value in kept]
        return {"Stacks": [{"Parameters": named}]}


@pytest.fixture
def told(monkeypatch) -> list[dict[str, str]]:
    """What SAM was told."""
    found: list[dict[str, str]] = []

    def note(_stage: str, chosen: dict[str, str], _built: Path) -> int:
        found.append(dict(chosen))
        return 0

    monkeypatch.setattr(deploy, "deploy", note)
    monkeypatch.setattr("scripts.release.write", lambda built, _parameters: built)
    return found


def test_the_first_deployment_takes_the_profile(monkeypatch, told):
    monkeypatch.setattr(deploy, "Clients", lambda: Account(None))

    assert deploy.main(["dev", "Contact=a@b.org"]) == 0

    assert told[0]["Contact"] == "a@b.org"
    assert told[0]["Stage"] == "dev"
    assert len(told[0]) > 3


def test_a_second_deployment_resets_nothing_and_prod_is_protected(monkeypatch, told):
    names = [*deploy._pairs(deploy.profile_of("prod")["parameter_overrides"]), "Contact"]
    account = Account(dict.fromkeys(names, "20"))
    monkeypatch.setattr(deploy, "Clients", lambda: account)

    assert deploy.main(["prod"]) == 0
    assert deploy.main(["prod", "LogDays=7"]) == 0

    assert told == [{}, {"LogDays": "7"}]
    protected = {"StackName": "gossamer", "EnableTerminationProtection": True}
    assert account.protected == [protected, protected]


def test_a_new_account_gets_what_it_can_run_and_is_told(monkeypatch, told, capsys):
    monkeypatch.setattr(deploy, "Clients", lambda: Account(None, free=10))

    assert deploy.main(["prod", "Contact=a@b.org"]) == 0

    assert {told[0][name] for name in READERS} == {"2"}
    assert told[0]["ApiReserved"] == "0"
    warning = capsys.readouterr().err
    assert "runs 10 functions at once" in warning
    assert "FetchConcurrency 100 → 2" in warning
    assert "API answers 5xx" in warning
    assert "Service Quotas" in warning


def test_an_account_with_the_usual_limit_is_told_nothing(monkeypatch, told, capsys):
    monkeypatch.setattr(deploy, "Clients", lambda: Account(None))

    deploy.main(["prod", "Contact=a@b.org"])

    assert told[0]["FetchConcurrency"] == "100"
    assert told[0]["ApiReserved"] == "20"
    assert not capsys.readouterr().err


def test_a_stack_keeps_its_own_reserve_out_of_the_account(monkeypatch, told):
    account = Account({"Stage": "prod", "ApiReserved": "100"}, free=900)
    monkeypatch.setattr(deploy, "Clients", lambda: account)

    deploy.main(["prod"])

    assert "ApiReserved" not in told[0]


def test_a_limit_that_may_not_be_read_stops_nothing(monkeypatch, told, capsys):
    account = Account(None)
    monkeypatch.setattr(deploy, "Clients", lambda: account)

    def refuse(operation: str) -> None:
        if operation == "GetAccountSettings":
            raise PermanentError("lambda:GetAccountSettings is not allowed")

    account.check = refuse
    assert deploy.main(["dev", "Contact=a@b.org"]) == 0

    assert told
    assert "not known: lambda:GetAccountSettings" in capsys.readouterr().err


numbers = st.dictionaries(st.sampled_from(list(READERS)), st.integers(2, 1000).map(str))


@given(st.integers(0, 2000), numbers, st.sets(st.sampled_from(list(READERS))))
def test_readers_fit_or_are_as_few_as_lambda_takes(limit, parameters, fixed):
    fitted = fit(limit, parameters, frozenset(fixed))

    values = {n: int((parameters | fitted.changed).get(n, d)) for n, d in READERS.items()}
    assert not fixed & set(fitted.changed)
    assert all(2 <= int(n) < int(parameters.get(k, READERS[k])) for k, n in fitted.changed.items())
    lowest = all(n == 2 for name, n in values.items() if name not in fixed)
    assert sum(values.values()) <= limit - KEPT_FREE or lowest
    assert bool(fitted.warnings) == (
        bool(fitted.changed) or sum(values.values()) + KEPT_FREE > limit
    )


def test_defaults_are_those_of_the_template():
    parameters = load()["Parameters"]

    assert {name: parameters[name]["Default"] for name in READERS} == READERS
    bounds = [
        event["Properties"]["ScalingConfig"]["MaximumConcurrency"]["Ref"]
        for each in functions(load()).values()
        for event in each.get("Events", {}).values()
        if event["Type"] == "SQS"
    ]
    assert sorted(bounds) == sorted(READERS)
