"""Add to a built template what SAM cannot make conditional.

    python -m scripts.release .aws-sam/build/template.yaml Release=gradual

SAM publishes versions and aliases, shifts traffic and asks for API keys only where the template
says so in plain values: a parameter cannot turn them off. So `template.yaml` has none of them, and
stacks that want them (`Release`, `SnapStart`, `ReadKeys`) are deployed from a copy that has.
"""

from __future__ import annotations

import argparse
import copy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from gossamer.entrypoints.api.routes import FREE_PATHS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Template = dict[str, Any]

FUNCTION, LAYER = "AWS::Serverless::Function", "AWS::Serverless::LayerVersion"
INTEGRATION = "x-amazon-apigateway-integration"
ALIAS = "live"  # what template.yaml calls it too
# What is added here; template.yaml has a rule for each, which refuses a plain `sam deploy`.
ADDED = {"Release": "gradual", "SnapStart": "true", "ReadKeys": "true"}
# A tenth of all events go to the new version first, for twice as long as the alarms look back.
SHIFT = "Canary10Percent10Minutes"
RELEASE_ALARMS = ("ReleaseAlarm", "CrawlErrorsAlarm", "IndexErrorsAlarm")
OPEN_PATHS = FREE_PATHS | {"/clicks"}  # a beacon has no key
# They have a key of their own.
ADMIN_PATHS = ("/seeds", "/jobs", "/queries", "/settings", "/synonyms", "/templates")


def released(template: Template, parameters: Mapping[str, str]) -> Template:
    """The template for a stack with these parameters; the same if they ask for nothing."""
    made = copy.deepcopy(template)
    if needs_versions(parameters):
        _publish_versions(made)
    if parameters.get("Release") == "gradual":
        _shift_gradually(made)
    if parameters.get("SnapStart") == "true":
        _take_snapshots(made)
    if parameters.get("ReadKeys") == "true":
        _ask_for_keys(made)
    _drop_rules(made, parameters)
    return made


def _drop_rules(template: Template, parameters: Mapping[str, str]) -> None:
    """Remove the rules that refuse a plain deployment of what this template now has."""
    for name, value in ADDED.items():
        if parameters.get(name) == value:
            del template["Rules"][name]


def needs_versions(parameters: Mapping[str, str]) -> bool:
    """Whether events go to an alias: also a snapshot is made of a version only."""
    return parameters.get("Release") == "gradual" or parameters.get("SnapStart") == "true"


def _publish_versions(template: Template) -> None:
    """A version at each change of a function or of its layers, where all our code is.

    SAM lets queues and schedules call the alias; the API's paths and its permission are ours.
    """
    template.setdefault("Globals", {}).setdefault("Function", {}).update(
        {"AutoPublishAlias": ALIAS, "AutoPublishAliasAllProperties": True}
    )
    for layer in _of_type(template, LAYER).values():
        layer["Properties"]["PublishLambdaVersion"] = True
    resources = template["Resources"]
    resources["ApiPermission"]["Properties"]["FunctionName"] = {"Ref": "ApiFunction.Alias"}
    for operations in resources["Api"]["Properties"]["DefinitionBody"]["paths"].values():
        for method, operation in operations.items():
            operations[method] = operation | {INTEGRATION: _by_alias(operation[INTEGRATION])}


def _by_alias(call: dict[str, Any]) -> dict[str, Any]:
    uri = call["uri"]["Fn::Sub"].replace("${ApiFunction.Arn}", "${ApiFunction.Alias}")
    return call | {"uri": {"Fn::Sub": uri}}


def _shift_gradually(template: Template) -> None:
    """Shift to the new version in two steps, and back if a function, message or request fails.

    Not by the alarm of the whole stack: money that is spent or old dead letters would stop the
    deployment that is to repair it.
    """
    for alarm in RELEASE_ALARMS:
        template["Resources"][alarm].pop("Condition", None)  # it is heard now
    for function in _of_type(template, FUNCTION).values():
        preference = {"Type": SHIFT, "Alarms": [{"Ref": alarm} for alarm in RELEASE_ALARMS]}
        function["Properties"]["DeploymentPreference"] = preference


def _take_snapshots(template: Template) -> None:
    """Of the API, for which people wait: those of all functions would cost $60 a month."""
    api = template["Resources"]["ApiFunction"]["Properties"]
    api["SnapStart"] = {"ApplyOn": "PublishedVersions"}


def _ask_for_keys(template: Template) -> None:
    """Of every route that reads, and of no preflight request: browsers send no key with it."""
    definition = template["Resources"]["Api"]["Properties"]["DefinitionBody"]
    key = {"type": "apiKey", "name": "x-api-key", "in": "header"}
    definition["components"] = {"securitySchemes": {"api_key": key}}
    for path, operations in definition["paths"].items():
        for method, operation in operations.items():
            if reads(path) and method != "options":
                operations[method] = operation | {"security": [{"api_key": []}]}


def reads(path: str) -> bool:
    """Whether a route reads the collection."""
    return path not in OPEN_PATHS and not path.startswith(ADMIN_PATHS)


def _of_type(template: Template, kind: str) -> dict[str, dict[str, Any]]:
    return {name: each for name, each in template["Resources"].items() if each["Type"] == kind}


def write(built: Path, parameters: Mapping[str, str]) -> Path:
    """Beside the built template, whose paths are relative to it; the file to deploy."""
    template = yaml.safe_load(built.read_text())
    made = released(template, parameters)
    if made == template:
        return built
    target = built.with_name("released.yaml")
    target.write_text(yaml.safe_dump(made, sort_keys=False))
    return target


def main(argv: Sequence[str] | None = None) -> int:
    """Write the template, and print where it is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("built", type=Path, help="what `sam build` wrote")
    parser.add_argument("given", nargs="*", help="parameters, as Name=Value")
    asked = parser.parse_args(argv)
    print(write(asked.built, dict(each.split("=", 1) for each in asked.given)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
