"""What template.yaml says about functions and queues, with the parameters of a deployment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = Path(__file__).resolve().parents[2] / "template.yaml"


class _Loader(yaml.SafeLoader):
    """Reads CloudFormation's short forms (!Ref x) as its long ones ({"Ref": "x"})."""


def _long_form(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        return {tag: node.value}
    if isinstance(node, yaml.SequenceNode):
        return {tag: loader.construct_sequence(node, deep=True)}
    if not isinstance(node, yaml.MappingNode):
        raise TypeError(f"{tag}: neither a value, nor a list, nor a mapping")
    return {tag: loader.construct_mapping(node, deep=True)}


_Loader.add_multi_constructor("!", _long_form)


@dataclass(frozen=True, slots=True)
class Function:
    """A function, and the queue that it reads if it reads one."""

    name: str
    timeout: float
    memory_mb: float
    batch: int = 1
    window: float = 0.0
    concurrency: float = 1.0
    visibility: float = 0.0
    receives: int = 1


@dataclass(frozen=True, slots=True)
class Deployment:
    """The functions by name: those of streams by their stream."""

    functions: dict[str, Function]
    parameters: dict[str, Any]

    def __getitem__(self, name: str) -> Function:
        return self.functions[name]

    def number(self, parameter: str) -> float:
        """A parameter that is a number."""
        return float(self.parameters[parameter])


def read(given: Mapping[str, Any] | None = None, file: Path = FILE) -> Deployment:
    """The template with some parameters given and the others by default."""
    template = yaml.load(file.read_text(), _Loader)  # noqa: S506 a SafeLoader
    defaults = {name: each.get("Default") for name, each in template["Parameters"].items()}
    if unknown := set(given or {}) - set(defaults):
        raise KeyError(f"template.yaml has no parameter {', '.join(sorted(unknown))}")
    parameters = defaults | dict(given or {})
    resources = template["Resources"]
    found = [
        _function(name, each["Properties"], resources, parameters)
        for name, each in resources.items()
        if each["Type"] == "AWS::Serverless::Function"
    ]
    return Deployment({function.name: function for function in found}, parameters)


def _function(
    logical: str, given: dict[str, Any], resources: dict[str, Any], parameters: dict[str, Any]
) -> Function:
    base = logical.removesuffix("Function").lower()
    timeout, memory = float(given["Timeout"]), float(given["MemorySize"])
    events = given.get("Events", {}).values()
    source = next((each["Properties"] for each in events if each["Type"] == "SQS"), None)
    if source is None:
        return Function(base, timeout, memory)
    queue = source["Queue"]["GetAtt"].partition(".")[0]
    held = resources[queue]["Properties"]
    return Function(
        name=queue.removesuffix("Queue").lower(),
        timeout=timeout,
        memory_mb=memory,
        batch=int(source["BatchSize"]),
        window=_value(source.get("MaximumBatchingWindowInSeconds", 0), parameters),
        concurrency=_value(source["ScalingConfig"]["MaximumConcurrency"], parameters),
        visibility=float(held["VisibilityTimeout"]),
        receives=int(held["RedrivePolicy"]["maxReceiveCount"]),
    )


def _value(given: Any, parameters: dict[str, Any]) -> float:
    return float(parameters[given["Ref"]] if isinstance(given, dict) else given)
