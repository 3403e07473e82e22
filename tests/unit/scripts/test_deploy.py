"""Does a later deployment keep what a stack has?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer.core.errors import MissingResource
from scripts import deploy

if TYPE_CHECKING:
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

    def __init__(self, parameters: dict[str, str] | None) -> None:
        self.parameters = parameters
        self.protected: list[dict[str, Any]] = []

    def call(self, _service: str, operation: str, _on: str, **given: Any) -> Any:
        if operation == "UpdateTerminationProtection":
            self.protected.append(given)
            return {}
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
    account = Account(dict.fromkeys(names, "kept"))
    monkeypatch.setattr(deploy, "Clients", lambda: account)

    assert deploy.main(["prod"]) == 0
    assert deploy.main(["prod", "LogDays=7"]) == 0

    assert told == [{}, {"LogDays": "7"}]
    protected = {"StackName": "gossamer", "EnableTerminationProtection": True}
    assert account.protected == [protected, protected]
