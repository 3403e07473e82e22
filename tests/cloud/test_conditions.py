"""Do emulators take what parameters add to a stack, each as far as it knows it?

What is off by default is deployed as a stack of its own; what it names of the rest is a stand-in.
tests/topology/test_conditions.py holds the whole to CloudFormation's specification.
"""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scripts.emulator import ACCOUNT
from tests.cloud.conditions import settled
from tests.cloud.harness import Stack
from tests.cloud.queues import wait_for
from tests.topology.template import load
from tests.topology.test_conditions import ALL

STACK = "gossamer-extras"
# Types that an emulator does not have; EMR, budgets and CodeDeploy are in neither.
UNKNOWN = {
    "ministack": {
        "AWS::Budgets::Budget",
        "AWS::CloudWatch::CompositeAlarm",
        "AWS::EC2::EIP",
        "AWS::EC2::NatGateway",
        "AWS::EMRServerless::Application",
        "AWS::WAFv2::WebACLAssociation",
    },
    "localstack": {
        "AWS::Budgets::Budget",
        "AWS::CloudFront::CachePolicy",
        "AWS::CloudFront::Distribution",
        "AWS::CloudWatch::Dashboard",
        "AWS::EC2::EIP",
        "AWS::EMRServerless::Application",
        "AWS::WAFv2::WebACL",
        "AWS::WAFv2::WebACLAssociation",
    },
}
# These belong to what is not in this stack: its roles and its API.
ELSEWHERE = {"AWS::IAM::Policy", "AWS::ApiGateway::UsagePlan", "AWS::ApiGateway::UsagePlanKey"}


@pytest.fixture(scope="module")
def template(emulator) -> dict[str, Any]:
    """What all parameters together add, without what this emulator does not know."""
    whole, plain = settled(load(), {**ALL, "Contact": "x@y.z"}), settled(load(), {})
    left_out = UNKNOWN[emulator.kind] | ELSEWHERE
    added = {
        name: each
        for name, each in whole["Resources"].items()
        if name not in plain["Resources"]
        and each["Type"] not in left_out
        and not (emulator.kind == "ministack" and is_formula(each))
    }
    values = {name: value_of(each, ALL.get(name)) for name, each in whole["Parameters"].items()}
    if emulator.kind == "localstack":  # which makes addresses, but not by CloudFormation
        address = (
            Stack(emulator, STACK, Path("unused")).client("ec2").allocate_address(Domain="vpc")
        )
        values["EgressAddress"] = address["AllocationId"]
        values["OuterSubnet.AvailabilityZone"] = "us-east-1a"  # nor does it tell this attribute
    return {"Resources": Grounding(set(added), values).of(added)}


def is_formula(resource: dict[str, Any]) -> bool:
    """Whether an alarm computes with several metrics, which MiniStack refuses."""
    is_alarm = resource["Type"] == "AWS::CloudWatch::Alarm"
    return is_alarm and "Metrics" in resource["Properties"]


def value_of(parameter: dict[str, Any], given: str | None) -> Any:
    value = parameter.get("Default", "x@y.z") if given is None else given
    return int(value) if parameter["Type"] == "Number" else value


class Grounding:
    """Values in which only what is known is named; the rest are values of parameters, or words."""

    def __init__(self, known: set[str], values: dict[str, Any]) -> None:
        self._known, self._values = known, values

    def of(self, value: Any) -> Any:
        match value:
            case {"Ref": str(name)} | {"Fn::GetAtt": str(name)}:
                return value if self._is_named(name) else self._stand_in(name)
            case {"Fn::Sub": str(text)}:
                names = re.compile(r"\$\{(\w+(?:\.\w+)?)\}")
                return {"Fn::Sub": names.sub(lambda found: str(self._stand_in(found[1])), text)}
            case {"DependsOn": [*names], **more}:
                return self.of(more) | {"DependsOn": [n for n in names if n in self._known]}
            case dict():
                return {key: self.of(each) for key, each in value.items()}
            case list():
                return [self.of(each) for each in value]
        return value

    def _is_named(self, name: str) -> bool:
        known = name.startswith("AWS::") or name.partition(".")[0] in self._known
        return known and name not in self._values

    def _stand_in(self, name: str) -> Any:
        logical, _, attribute = name.partition(".")
        plain = self._values.get(name, self._values.get(logical, f"stand-in-{logical}".lower()))
        return f"arn:aws:sqs:us-east-1:{ACCOUNT}:{plain}" if attribute == "Arn" else plain


@pytest.fixture(scope="module")
def made(emulator, template):
    """The resources of the stack by their logical names."""
    cloud = Stack(emulator, STACK, Path("unused")).client("cloudformation")
    cloud.create_stack(
        StackName=STACK, TemplateBody=json.dumps(template), Capabilities=["CAPABILITY_IAM"]
    )
    try:
        wait_for(partial(has_ended, cloud), 240, "the stack is not made")
        found = cloud.describe_stack_resources(StackName=STACK)["StackResources"]
        assert not why(cloud)
        yield {each["LogicalResourceId"]: each for each in found}
    finally:
        cloud.delete_stack(StackName=STACK)


def has_ended(cloud: Any) -> bool:
    (stack,) = cloud.describe_stacks(StackName=STACK)["Stacks"]
    return not stack["StackStatus"].endswith("_IN_PROGRESS")


def why(cloud: Any) -> list[str]:
    events = cloud.describe_stack_events(StackName=STACK)["StackEvents"]
    return [
        f"{each['LogicalResourceId']}: {each.get('ResourceStatusReason', '')}"
        for each in events
        if each["ResourceStatus"].endswith("FAILED")
    ]


def test_all_that_an_emulator_knows_is_made(made, template):
    states = {name: each["ResourceStatus"] for name, each in made.items()}

    assert states == dict.fromkeys(template["Resources"], "CREATE_COMPLETE")
