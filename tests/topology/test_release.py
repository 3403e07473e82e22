"""Does a stack get its versions, its gradual releases and its read keys, and only if it asks?"""

from __future__ import annotations

import copy
import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gossamer.entrypoints.api.routes import ROUTES
from scripts.release import (
    ADDED,
    ALIAS,
    INTEGRATION,
    RELEASE_ALARMS,
    SHIFT,
    reads,
    released,
    write,
)
from scripts.venvs import ROOT
from tests.cloud.conditions import settled
from tests.topology.template import FILE, functions, load, metrics_of, of_type

TEMPLATE = load()
FUNCTION = "AWS::Serverless::Function"
GRADUAL = {"Release": "gradual"}
SAM = ROOT / ".venv-sam"
needs_sam = pytest.mark.skipif(
    not (SAM / ".done").exists(), reason="SAM is not installed: make sam"
)


def translated(template: dict[str, Any], **given: str) -> dict[str, dict[str, Any]]:
    """The resources that SAM makes of a template."""
    found: dict[str, dict[str, Any]] = cloudformation(template, **given)["Resources"]
    return found


def cloudformation(template: dict[str, Any], **given: str) -> dict[str, Any]:
    """What SAM makes of a template."""
    placed = copy.deepcopy(template)
    for each in placed["Resources"].values():
        for name in ("CodeUri", "ContentUri"):  # as `sam deploy` uploads them
            if isinstance(path := each.get("Properties", {}).get(name), str):
                each["Properties"][name] = f"s3://built/{path.replace('/', '-')}"
    defaults = {name: each.get("Default", "") for name, each in placed["Parameters"].items()}
    asked = {"template": placed, "parameters": defaults | given | {"AWS::Region": "us-east-1"}}
    done = subprocess.run(
        [SAM / "bin" / "python", Path(__file__).with_name("translate.py")],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
        env={"AWS_DEFAULT_REGION": "us-east-1"},
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_stack_that_asks_for_nothing_is_deployed_as_it_is_built(tmp_path):
    built = tmp_path / "template.yaml"
    built.write_text(json.dumps(TEMPLATE))

    assert released(TEMPLATE, {"Release": "at-once", "ReadKeys": "false"}) == TEMPLATE
    assert write(built, {"Stage": "dev"}) == built


def test_a_stack_that_asks_is_deployed_from_a_copy_beside(tmp_path):
    built = tmp_path / "template.yaml"
    built.write_text(json.dumps(TEMPLATE))

    target = write(built, GRADUAL)

    assert target.parent == built.parent
    assert target != built
    assert json.loads(built.read_text()) == TEMPLATE


def test_a_function_goes_back_when_a_function_a_message_or_a_request_fails():
    made = released(TEMPLATE, GRADUAL)["Resources"]

    for each in made.values():
        if each["Type"] == FUNCTION:
            preference = each["Properties"]["DeploymentPreference"]
            assert [alarm["Ref"] for alarm in preference["Alarms"]] == list(RELEASE_ALARMS)
            assert preference["Type"] == SHIFT


@pytest.mark.parametrize("name", RELEASE_ALARMS)
def test_an_alarm_of_a_release_goes_off_in_the_first_half_of_the_shift(name):
    minutes = re.fullmatch(r"Canary10Percent(\d+)Minutes", SHIFT)
    assert minutes
    alarm = TEMPLATE["Resources"][name]["Properties"]
    periods = {each["MetricStat"]["Period"] for each in alarm["Metrics"] if "MetricStat" in each}

    assert max(periods) * alarm["EvaluationPeriods"] <= int(minutes[1]) * 60 / 2
    assert max(periods) == 60
    assert alarm.get("DatapointsToAlarm", alarm["EvaluationPeriods"]) <= 2


def test_a_release_is_watched_by_what_handlers_answer_not_only_by_what_they_raise():
    alarm = TEMPLATE["Resources"]["ReleaseAlarm"]["Properties"]
    names = {each["MetricName"] for each in metrics_of(alarm)}

    assert names == {"Failures", "DeadLetters", "Messages", "5XXError"}
    formulas = {each["Id"]: each.get("Expression") for each in alarm["Metrics"]}
    assert formulas["bolts"] == "100 * (FILL(failures, 0) + FILL(dead, 0)) / messages"


def test_alarms_that_a_release_looks_at_exist_wherever_releases_are_gradual():
    """Also in a stack that no one watches, which has none otherwise."""
    made = settled(released(TEMPLATE, GRADUAL), GRADUAL)["Resources"]

    alarms = {name for name, each in made.items() if each["Type"].endswith("Alarm")}
    assert alarms == set(RELEASE_ALARMS)


@pytest.mark.parametrize(("name", "value"), ADDED.items())
def test_a_plain_deployment_may_not_remove_what_is_added_here(name, value):
    """CloudFormation checks rules before it changes anything."""
    (assertion,) = TEMPLATE["Rules"][name]["Assertions"]
    allowed = TEMPLATE["Parameters"][name]["Default"]

    assert assertion["Assert"] == {"Fn::Equals": [{"Ref": name}, allowed]}
    assert value != allowed
    assert "make deploy" in assertion["AssertDescription"]
    assert set(TEMPLATE["Rules"]) == set(ADDED)
    assert set(released(TEMPLATE, {name: value})["Rules"]) == set(ADDED) - {name}


@needs_sam
def test_sam_keeps_the_rules():
    assert set(cloudformation(TEMPLATE)["Rules"]) == set(ADDED)


def test_releases_are_gradual_in_prod():
    profile = (FILE.parent / "samconfig.toml").read_text().partition("[prod.")[2]

    assert '"Release=gradual"' in profile


def test_the_api_calls_the_alias_of_search_where_there_are_versions():
    api = functions(TEMPLATE)["api"]["Environment"]["Variables"]["GOSSAMER_SEARCH_FUNCTION"]
    policy = of_type(TEMPLATE, "AWS::IAM::Policy")["SearchAliasPolicy"]

    assert api["Fn::If"] == [
        "HasVersions",
        {"Fn::Sub": f"${{SearchFunction}}:{ALIAS}"},
        {"Ref": "SearchFunction"},
    ]
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert statement["Resource"] == {"Fn::Sub": f"${{SearchFunction.Arn}}:{ALIAS}"}
    assert TEMPLATE["Resources"]["SearchAliasPolicy"]["Condition"] == "HasVersions"


def test_only_the_api_begins_from_a_snapshot():
    made = of_type(released(TEMPLATE, {"SnapStart": "true"}), FUNCTION)

    assert [name for name, each in made.items() if "SnapStart" in each] == ["ApiFunction"]


@needs_sam
def test_queues_schedules_and_routes_call_the_alias():
    made = translated(released(TEMPLATE, GRADUAL), Release="gradual")
    kinds = Counter(each["Type"] for each in made.values())

    aliases = {name for name, each in made.items() if each["Type"] == "AWS::Lambda::Alias"}
    assert len(aliases) == len(functions(TEMPLATE)) == kinds["AWS::CodeDeploy::DeploymentGroup"]
    for each in made.values():
        match each["Type"]:
            case "AWS::Lambda::EventSourceMapping":
                assert each["Properties"]["FunctionName"]["Ref"] in aliases
            case "AWS::Events::Rule":
                assert each["Properties"]["Targets"][0]["Arn"]["Ref"] in aliases
            case "AWS::Lambda::Permission":
                assert each["Properties"]["FunctionName"]["Ref"] in aliases
            case "AWS::Lambda::Alias":
                assert "CodeDeployLambdaAliasUpdate" in each["UpdatePolicy"]

    calls = {
        operation[INTEGRATION]["uri"]["Fn::Sub"].rpartition("/functions/")[2]
        for operations in gateway(made)["paths"].values()
        for operation in operations.values()
    }
    assert calls == {"${ApiFunctionAliaslive}/invocations"}


def gateway(made: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What the API's paths are, as SAM hands it to API Gateway."""
    (api,) = [each for each in made.values() if each["Type"] == "AWS::ApiGateway::RestApi"]
    body: dict[str, Any] = api["Properties"]["Body"]
    return body


@needs_sam
def test_without_asking_nothing_is_published():
    kinds = {each["Type"] for each in translated(TEMPLATE).values()}

    assert "AWS::Lambda::Function" in kinds
    published = {"AWS::Lambda::Alias", "AWS::Lambda::Version", "AWS::CodeDeploy::Application"}
    assert not kinds & published


@needs_sam
def test_new_code_in_a_layer_is_a_new_version_of_every_function():
    """All our code is in layers: the code of a function itself never changes."""
    before, after = released(TEMPLATE, GRADUAL), released(TEMPLATE, GRADUAL)
    after["Resources"]["GossamerLayer"]["Properties"]["ContentUri"] = "layers/changed/"

    versions = [
        {n for n, each in translated(t).items() if each["Type"] == "AWS::Lambda::Version"}
        for t in (before, after)
    ]

    assert len(versions[0]) == len(versions[1]) == len(functions(TEMPLATE))
    assert not versions[0] & versions[1]


def test_routes_that_read_ask_for_a_key_and_no_others():
    made = released(TEMPLATE, {"ReadKeys": "true"})
    paths_made = of_type(made, "AWS::Serverless::Api")["Api"]["DefinitionBody"]["paths"]

    asking = {
        (path, method)
        for path, operations in paths_made.items()
        for method, operation in operations.items()
        if operation.get("security") == [{"api_key": []}]
    }

    paths = {"/search", "/search.rss", "/html", "/documents/{id}", "/documents/{id}/cached"}
    paths |= {"/stats", "/suggest", "/mcp", "/documents/{id}/picture"}
    assert {path for path, _ in asking} == paths == {r.path for r in ROUTES if reads(r.path)}
    assert "options" not in {method for _, method in asking}


@needs_sam
def test_the_gateway_asks_for_the_key_where_the_template_says_so():
    made = translated(released(TEMPLATE, {"ReadKeys": "true"}), ReadKeys="true")
    body = gateway(made)
    paths = body["paths"]

    assert "api_key" in body["components"]["securitySchemes"]
    assert {"api_key": []} in paths["/search"]["get"]["security"]
    for path, method in (("/search", "options"), ("/seeds", "post"), ("/", "get")):
        assert {"api_key": []} not in paths[path][method].get("security", [])


def test_the_plan_of_read_keys_exists_only_if_asked_for():
    named = {"ReadKey", "ReadPlan", "ReadPlanKey"}

    assert {TEMPLATE["Resources"][name]["Condition"] for name in named} == {"HasReadKeys"}
    plan = TEMPLATE["Resources"]["ReadPlan"]["Properties"]
    assert plan["Quota"] == {"Limit": {"Ref": "ReadQuota"}, "Period": "DAY"}
    assert plan["Throttle"]["RateLimit"] == {"Ref": "ReadRate"}
