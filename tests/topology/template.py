"""What does template.yaml say? Its resources as plain values, and which function may call what."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "template.yaml"

# What Lambda itself does in the name of a function, before and after its code runs.
BY_LAMBDA = frozenset(
    {
        "logs:CreateLogStream",
        "logs:PutLogEvents",
        "sqs:DeleteMessage",
        "sqs:GetQueueAttributes",
        "sqs:ReceiveMessage",
    }
)

Template = dict[str, Any]


class _Loader(yaml.SafeLoader):
    """Reads CloudFormation's short forms (!Ref x) as its long ones ({"Ref": "x"})."""


def _long_form(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> dict[str, Any]:
    name = tag if tag in {"Ref", "Condition"} else f"Fn::{tag}"
    if isinstance(node, yaml.ScalarNode):
        return {name: node.value}
    if isinstance(node, yaml.SequenceNode):
        return {name: loader.construct_sequence(node, deep=True)}
    assert isinstance(node, yaml.MappingNode)
    return {name: loader.construct_mapping(node, deep=True)}


_Loader.add_multi_constructor("!", _long_form)


def load(file: Path = FILE) -> Template:
    """The whole template."""
    template: Template = yaml.load(file.read_text(), _Loader)  # noqa: S506 a SafeLoader
    return template


def of_type(template: Template, kind: str) -> dict[str, dict[str, Any]]:
    """Resources of a type by their logical names, their properties only."""
    found = template["Resources"].items()
    return {name: each["Properties"] for name, each in found if each["Type"] == kind}


def metrics_of(alarm: dict[str, Any]) -> list[dict[str, Any]]:
    """The metrics that an alarm reads: its own, or those of its formula."""
    if "MetricName" in alarm:
        return [alarm]
    return [each["MetricStat"]["Metric"] for each in alarm["Metrics"] if "MetricStat" in each]


def name_in_stack(named: dict[str, str]) -> str:
    """What follows the stack's name: "urls" of ${AWS::StackName}-urls."""
    prefix, _, name = named["Fn::Sub"].partition("${AWS::StackName}-")
    assert prefix in {"", "/aws/lambda/"}, named
    return name


def functions(template: Template) -> dict[str, dict[str, Any]]:
    """Properties of functions by the name of their bolt."""
    found = of_type(template, "AWS::Serverless::Function").values()
    return {name_in_stack(each["FunctionName"]): each for each in found}


def routes(template: Template) -> list[tuple[str, str]]:
    """The paths of the API with their methods, in small letters as OpenAPI has them."""
    (api,) = of_type(template, "AWS::Serverless::Api").values()
    paths = api["DefinitionBody"]["paths"].items()
    return [(path, method) for path, operations in paths for method in operations]


def statements(template: Template, function: dict[str, Any]) -> list[dict[str, Any]]:
    """What the function's role allows, each with lists of actions and resources."""
    role = template["Resources"][function["Role"]["Fn::GetAtt"].removesuffix(".Arn")]["Properties"]
    assert role["ManagedPolicyArns"] == [{"Ref": "TracingPolicy"}]  # nothing of this stack
    found = [each for policy in role["Policies"] for each in policy["PolicyDocument"]["Statement"]]
    return [
        each | {"Action": _listed(each["Action"]), "Resource": _listed(each["Resource"])}
        for each in found
    ]


def allowed_calls(template: Template) -> dict[str, set[tuple[str, str]]]:
    """Which function may call what on what: {"fetch": {("dynamodb:GetItem", "urls"), …}, …}."""
    return {
        bolt: {
            (action, short_name(template, resource))
            for statement in statements(template, function)
            for action in statement["Action"]
            for resource in statement["Resource"]
        }
        for bolt, function in functions(template).items()
    }


def short_name(template: Template, resource: Any) -> str:
    """A resource of the stack: urls, inverted_index/by_tfidf, queue:fetch, bucket:warc/."""
    match resource:
        case {"Fn::GetAtt": str(attribute)}:
            return _name_of(template, attribute.removesuffix(".Arn"))
        case {"Ref": str(logical)}:
            return _name_of(template, logical)
        case {"Fn::Sub": str(text)} if ":event-source-mapping:" in text:
            return "mapping:"
        case {"Fn::Sub": str(text)} if ":secret:${AWS::StackName}-" in text:
            return "secret:" + text.partition("${AWS::StackName}-")[2].removesuffix("-??????")
        case {"Fn::Sub": str(text)}:
            parts = re.fullmatch(r"\$\{(\w+)\.Arn\}/(?:index/)?([^*]+)\*?", text)
            if parts:
                name = _name_of(template, parts[1])
                return f"{name}{parts[2]}" if name == "bucket:" else f"{name}/{parts[2]}"
    raise ValueError(f"{resource!r} is no single resource of this stack")


def _name_of(template: Template, logical: str) -> str:
    resource = template["Resources"][logical]
    properties = resource.get("Properties", {})
    match resource["Type"]:
        case "AWS::DynamoDB::Table":
            return name_in_stack(properties["TableName"])
        case "AWS::SQS::Queue":
            return f"queue:{name_in_stack(properties['QueueName'])}"
        case "AWS::S3::Bucket":
            return "bucket:"
        case "AWS::SecretsManager::Secret":
            return f"secret:{name_in_stack(properties['Name'])}"
        case "AWS::Logs::LogGroup":
            return f"log:{name_in_stack(properties['LogGroupName'])}"
        case "AWS::Serverless::Function":
            return f"function:{name_in_stack(properties['FunctionName'])}"
        case other:
            raise ValueError(f"{logical} is a {other}; no function may touch one")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
