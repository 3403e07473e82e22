"""Does the stack fit into limits of AWS that no emulator has? A deployment fails beyond them."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from scripts.release import released
from tests.topology.template import load
from tests.topology.test_conditions import ALL
from tests.topology.test_release import GRADUAL, cloudformation, needs_sam

TEMPLATE = load()
# https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html and the like for
# CloudFormation and IAM, as known in November 2026.
CALLERS = 20_480  # bytes of the policy that says who may call a function
ENVIRONMENT = 4_096  # bytes of all variables of a function
ROLE = 10_240  # characters of a role's own policies
RESOURCES = 500
# What a reference becomes: an ARN or a URL with the longest region, a long stack and a long name.
LONGEST = 150
ASKED = {"at once": {}, "gradual": GRADUAL, "everything": ALL}


@pytest.fixture(scope="module", params=ASKED.values(), ids=list(ASKED))
def resources(request) -> dict[str, dict[str, Any]]:
    """What SAM makes of the template."""
    made = cloudformation(released(TEMPLATE, request.param), **request.param)
    found: dict[str, dict[str, Any]] = made["Resources"]
    return found


def of_type(resources: dict[str, dict[str, Any]], kind: str) -> dict[str, Any]:
    return {name: r["Properties"] for name, r in resources.items() if r["Type"] == kind}


def length(value: Any) -> int:
    """The characters of a value when its references are known: too many rather than too few."""
    match value:
        case {"Fn::If": [_, yes, no]}:
            return max(length(yes), length(no))
        case {"Fn::Join": [str(between), [*parts]]}:
            return sum(length(part) + len(between) for part in parts)
        case {"Fn::Sub": text}:
            return len(json.dumps(text)) + LONGEST // 2 * json.dumps(text).count("${")
        case {"Ref": _} | {"Fn::GetAtt": _}:
            return LONGEST
        case dict():
            return sum(len(key) + 6 + length(each) for key, each in value.items())
        case list():
            return sum(2 + length(each) for each in value)
    return 2 + len(str(value))


@needs_sam
def test_who_may_call_a_function_fits_into_its_policy(resources):
    """A statement for each route of the API was too much. Lambda adds names of its own to each."""
    callers: Counter[str] = Counter()

    for name, permission in of_type(resources, "AWS::Lambda::Permission").items():
        callers[permission["FunctionName"]["Ref"]] += LONGEST + len(name) + length(permission)

    assert any("Api" in function for function in callers)
    assert max(callers.values()) < CALLERS


@needs_sam
def test_the_environment_of_a_function_fits(resources):
    for name, function in of_type(resources, "AWS::Lambda::Function").items():
        assert length(function["Environment"]["Variables"]) < ENVIRONMENT, name


@needs_sam
def test_the_policies_of_a_role_fit(resources):
    for name, role in of_type(resources, "AWS::IAM::Role").items():
        assert sum(length(each["PolicyDocument"]) for each in role.get("Policies", ())) < ROLE, name


@needs_sam
def test_there_are_not_too_many_resources(resources):
    assert 100 < len(resources) < RESOURCES
