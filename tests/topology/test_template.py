"""template.yaml and the code tell the same story."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest

from gossamer.adapters.aws.dynamodb.models import MODELS
from gossamer.core.index.segments.formats import DEFAULT_FORMAT, WRITTEN_FORMATS
from gossamer.entrypoints.api.answers import REFUSALS
from gossamer.entrypoints.api.routes import PATHS, methods_at
from gossamer.entrypoints.lambdas.powertools import METRICS
from gossamer.topology import LOST, SQS_RECEIVES, TOPOLOGY, Edge
from scripts.release import ADMIN_PATHS
from tests.topology.template import (
    ROOT,
    functions,
    load,
    metrics_of,
    name_in_stack,
    of_type,
    routes,
)

ALARM = "AWS::CloudWatch::Alarm"
TEMPLATE = load()
FUNCTIONS = functions(TEMPLATE)
QUEUES = {
    name_in_stack(each["QueueName"]): each for each in of_type(TEMPLATE, "AWS::SQS::Queue").values()
}
TABLES = {
    name_in_stack(each["TableName"]): each
    for each in of_type(TEMPLATE, "AWS::DynamoDB::Table").values()
}


def logical(stream: str) -> str:
    return f"{stream.capitalize()}Queue.Arn"


def events(bolt: str, kind: str) -> list[dict[str, Any]]:
    found = FUNCTIONS[bolt].get("Events", {}).values()
    return [each["Properties"] for each in found if each["Type"] == kind]


@pytest.mark.parametrize("edge", TOPOLOGY, ids=lambda edge: edge.bolt)
def test_every_bolt_is_a_function_that_reads_its_queue(edge: Edge):
    function = FUNCTIONS[edge.bolt]

    (event,) = events(edge.bolt, "SQS")

    assert function["CodeUri"] == f"functions/{edge.bolt}/"
    assert event["Queue"] == {"Fn::GetAtt": logical(edge.reads)}
    assert event["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    concurrency = TEMPLATE["Parameters"][event["ScalingConfig"]["MaximumConcurrency"]["Ref"]]
    assert (concurrency["MinValue"], concurrency["MaxValue"]) == (2, 1000)


def window_of(edge: Edge, bound: str) -> float:
    """How long Lambda may hold messages of a stream back for a full batch, in seconds.

    `bound`: MinValue or MaxValue of a parameter that says so.
    """
    (event,) = events(edge.bolt, "SQS")
    window = event.get("MaximumBatchingWindowInSeconds", 0)
    if isinstance(window, dict):
        return float(TEMPLATE["Parameters"][window["Ref"]][bound])
    return float(window)


@pytest.mark.parametrize("edge", TOPOLOGY, ids=lambda edge: edge.bolt)
def test_more_than_ten_messages_are_gathered_for_a_second_at_least(edge: Edge):
    """Lambda refuses an event source mapping that says otherwise."""
    (event,) = events(edge.bolt, "SQS")

    assert event["BatchSize"] <= 10 or window_of(edge, "MinValue") >= 1


@pytest.mark.parametrize("edge", TOPOLOGY, ids=lambda edge: edge.bolt)
def test_what_every_queue_gives_up_goes_to_the_lost_and_it_has_the_visibility_of_the_topology(
    edge: Edge,
):
    queue, timeout = QUEUES[edge.reads], FUNCTIONS[edge.bolt]["Timeout"]
    held = window_of(edge, "MaxValue")

    redrive = queue["RedrivePolicy"]

    assert queue["VisibilityTimeout"] == edge.visibility >= 6 * timeout + held
    assert redrive["maxReceiveCount"] == SQS_RECEIVES > 4 * edge.max_receives
    assert redrive["deadLetterTargetArn"] == {"Fn::GetAtt": "LostQueue.Arn"}


def test_there_is_no_queue_beyond_the_topology_and_its_dead_letters():
    streams = {edge.reads for edge in TOPOLOGY}

    assert set(QUEUES) == streams | {f"{stream}-dead" for stream in streams} | {LOST}


def test_every_queue_is_encrypted_keeps_its_messages_and_refuses_plain_http():
    (policy,) = of_type(TEMPLATE, "AWS::SQS::QueuePolicy").values()

    assert all(each["SqsManagedSseEnabled"] is True for each in QUEUES.values())
    assert all(each["MessageRetentionPeriod"] == 14 * 86_400 for each in QUEUES.values())
    assert len(policy["Queues"]) == len(QUEUES)


@pytest.mark.parametrize("bolt", FUNCTIONS)
def test_every_function_is_a_folder_with_one_short_file(bolt: str):
    folder = ROOT / FUNCTIONS[bolt]["CodeUri"]

    assert [f.name for f in folder.iterdir() if f.name != "__pycache__"] == ["app.py"]
    assert len((folder / "app.py").read_text().splitlines()) <= 10


def test_every_function_of_the_folder_is_deployed():
    folders = {f.name for f in (ROOT / "functions").iterdir() if (f / "app.py").is_file()}

    assert set(FUNCTIONS) == folders


def test_the_loop_may_turn_and_nothing_is_built_that_needs_no_building():
    resources = TEMPLATE["Resources"].values()

    assert TEMPLATE["Globals"]["Function"]["RecursiveLoop"] == "Allow"
    for each in resources:
        if each["Type"] == "AWS::Serverless::Function":
            assert each["Metadata"] == {"SkipBuild": True}


def test_functions_know_every_queue_by_its_name():
    variables = TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]
    _, parts = variables["GOSSAMER_QUEUES"]["Fn::Join"]

    pairs = dict(re.findall(r"([\w-]+)=\$\{(\w+)\}", ",".join(p["Fn::Sub"] for p in parts)))

    assert {
        name: name_in_stack(TEMPLATE["Resources"][each]["Properties"]["QueueName"])
        for name, each in pairs.items()
    } == {name: name for name in QUEUES}


def test_urls_that_wait_cannot_expire():
    """A slow host may keep its URLs waiting for months."""
    assert "TimeToLiveSpecification" not in TABLES["frontier"]


def test_every_table_is_the_one_of_its_model():
    assert set(TABLES) == {model.Meta.table_name for model in MODELS}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.Meta.table_name)
def test_a_table_has_the_keys_and_promises_of_its_model(model: Any):
    table = TABLES[model.Meta.table_name]
    attributes = model.get_attributes().values()

    indexes = table.get("GlobalSecondaryIndexes", [])

    assert keys(table) == keys_of(attributes)
    assert table["BillingMode"] == "PAY_PER_REQUEST"
    assert ("TimeToLiveSpecification" in table) == any(a.attr_name == "ttl" for a in attributes)
    recoverable = getattr(model.Meta, "recoverable", False)
    assert ("PointInTimeRecoverySpecification" in table) == recoverable
    assert {each["IndexName"] for each in indexes} == set(model._indexes)
    typed = {each["AttributeName"]: each["AttributeType"] for each in table["AttributeDefinitions"]}
    for attribute in attributes:
        if attribute.attr_name in typed:
            assert typed[attribute.attr_name] == attribute.attr_type


@pytest.mark.parametrize("name", ["by_due", "by_state", "by_tfidf"])
def test_an_index_has_the_keys_and_the_projection_of_its_model(name):
    (model,) = [model for model in MODELS if name in model._indexes]
    (index,) = TABLES[model.Meta.table_name]["GlobalSecondaryIndexes"]
    ours: Any = model._indexes[name]
    schema = ours._get_schema()

    wanted = {(each["KeyType"], each["AttributeName"]) for each in schema["key_schema"]}
    assert set(keys(index)) == wanted
    projection = {name: given for name, given in schema["projection"].items() if given}
    assert index["Projection"] == projection


def keys(described: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["KeyType"], each["AttributeName"]) for each in described["KeySchema"]]


def keys_of(attributes: Any) -> list[tuple[str, str]]:
    hashes = [("HASH", a.attr_name) for a in attributes if a.is_hash_key]
    return hashes + [("RANGE", a.attr_name) for a in attributes if a.is_range_key]


def test_the_gateway_has_every_route_of_the_api_and_no_other():
    declared = {(path, method) for path in PATHS for method in methods_at(path)}

    deployed = {(path, method.upper()) for path, method in routes(TEMPLATE)}

    assert deployed == declared


def test_routes_that_need_the_admin_key_are_throttled_harder():
    (api,) = of_type(TEMPLATE, "AWS::Serverless::Api").values()
    everyone, *admin = api["MethodSettings"]

    strict = {(each["ResourcePath"].replace("~1", "/")[1:], each["HttpMethod"]) for each in admin}

    assert everyone["ThrottlingRateLimit"] == {"Ref": "ApiRate"}
    assert all(each["ThrottlingRateLimit"] == {"Ref": "AdminRate"} for each in admin)
    assert strict == {
        (path, method.upper())
        for path, method in routes(TEMPLATE)
        if path.startswith(ADMIN_PATHS) and method != "options"
    }


def profile(stage: str) -> dict[str, str]:
    """The parameters of a stage in samconfig.toml."""
    config = tomllib.loads((ROOT / "samconfig.toml").read_text())
    pairs = config[stage]["deploy"]["parameters"]["parameter_overrides"]
    return dict(pair.split("=", 1) for pair in pairs)


def test_strangers_cannot_ask_without_bounds():
    dev, prod = profile("dev"), profile("prod")

    assert int(dev["ApiRate"]) <= 5
    assert int(prod["WafRate"]) > 0
    assert int(prod["ApiReserved"]) > 0
    assert all(float(each["SearchBudget"]) > 0 for each in (dev, prod))
    assert TEMPLATE["Parameters"]["SearchBudget"]["Default"] > 0


def test_no_route_has_metrics_of_its_own():
    """Detailed metrics are billed per route; those of the whole API are free."""
    (api,) = of_type(TEMPLATE, "AWS::Serverless::Api").values()

    assert not [each for each in api["MethodSettings"] if each.get("MetricsEnabled")]


def watched(metric: str, *names: str) -> list[str]:
    """What the named alarms read of a metric: queues or functions, as they name them."""
    read = [
        each
        for name in names
        for each in metrics_of(TEMPLATE["Resources"][name]["Properties"])
        if each["MetricName"] == metric
    ]
    return [str(*each["Dimensions"][0]["Value"].values()) for each in read]


def test_every_queue_and_function_has_its_alarms():
    streams = {edge.reads.capitalize() for edge in TOPOLOGY}
    dead = watched("ApproximateNumberOfMessagesVisible", "DeadAlarm")
    ages = watched("ApproximateAgeOfOldestMessage", "AgeAlarm")
    errors = watched("Errors", "CrawlErrorsAlarm", "IndexErrorsAlarm")

    assert sorted(dead) == sorted(f"{stream}DeadLetters.QueueName" for stream in streams)
    assert sorted(ages) == sorted(f"{stream}Queue.QueueName" for stream in streams)
    assert sorted(errors) == sorted(f"${{AWS::StackName}}-{bolt}" for bolt in FUNCTIONS)


@pytest.mark.parametrize("name", of_type(TEMPLATE, ALARM))
def test_a_formula_has_ten_metrics_at_most_and_one_result(name):
    alarm = TEMPLATE["Resources"][name]["Properties"]
    results = [each for each in alarm.get("Metrics", ()) if each.get("ReturnData", True)]

    assert len(metrics_of(alarm)) <= 10
    assert len(results) == ("Metrics" in alarm)


def test_no_two_alarms_say_the_same():
    assert len(of_type(TEMPLATE, ALARM)) <= 12


def test_a_stack_whose_schedule_stands_still_is_noticed():
    alarm = TEMPLATE["Resources"]["ScheduleAlarm"]["Properties"]

    assert watched("Invocations", "ScheduleAlarm") == ["ScheduleFunction"]
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
    assert alarm["TreatMissingData"] == "breaching"
    assert alarm["Period"] * alarm["EvaluationPeriods"] == 300


def test_requests_that_the_api_answers_with_5xx_are_noticed():
    alarm = TEMPLATE["Resources"]["ApiFailuresAlarm"]["Properties"]
    (dashboard,) = of_type(TEMPLATE, "AWS::CloudWatch::Dashboard").values()

    assert (alarm["Namespace"], alarm["MetricName"]) == ("AWS/ApiGateway", "5XXError")
    assert (alarm["Statistic"], alarm["Threshold"]) == ("Average", 0.01)
    # With the dimensions of the dashboard, which are free.
    assert '"ApiName", "${AWS::StackName}-api", "Stage"' in str(dashboard)
    assert [each["Name"] for each in alarm["Dimensions"]] == ["ApiName", "Stage"]


def test_every_alarm_costs_money_so_someone_or_something_must_hear_it():
    found = {n: r["Condition"] for n, r in TEMPLATE["Resources"].items() if r["Type"] == ALARM}
    of_all = {n for n, condition in found.items() if condition == "HasAlarms"}

    assert of_all == {"FailuresAlarm", "SpendAlarm"}
    assert found.pop("ReleaseAlarm") == "IsGradual"
    assert {condition for n, condition in found.items() if n not in of_all} == {"Watched"}
    assert TEMPLATE["Conditions"]["HasAlarms"]["Fn::Or"] == [
        {"Condition": "Watched"},
        {"Fn::Not": [{"Condition": "PausesOverBudget"}]},
    ]


def test_one_alarm_stands_for_all():
    (whole,) = [r for r in TEMPLATE["Resources"].values() if r["Type"].endswith("CompositeAlarm")]
    alarms = of_type(TEMPLATE, ALARM)
    del alarms["ReleaseAlarm"]  # of which a deployment hears, and no person

    named = re.findall(r'ALARM\("\$\{AWS::StackName\}-(\S+)"\)', str(whole["Properties"]))

    assert sorted(named) == sorted(name_in_stack(each["AlarmName"]) for each in alarms.values())
    assert sorted(whole["DependsOn"]) == sorted(alarms)


def test_the_gateway_refuses_in_our_words():
    (api,) = of_type(TEMPLATE, "AWS::Serverless::Api").values()

    for kind, response in api["GatewayResponses"].items():
        said = json.loads(response["ResponseTemplates"]["application/json"])["error"]
        headers = response["ResponseParameters"]["Headers"]
        assert headers["Access-Control-Allow-Origin"] == "'*'", kind
        assert set(said) == {"code", "message"}
        assert said["code"] in {code for code, _ in REFUSALS.values()}
    assert {"DEFAULT_4XX", "DEFAULT_5XX"} < set(api["GatewayResponses"])


@pytest.mark.parametrize(
    ("kind", "status"),
    [("MISSING_AUTHENTICATION_TOKEN", 404), ("THROTTLED", 429), ("REQUEST_TOO_LARGE", 413)],
)
def test_the_gateway_refuses_with_our_status(kind, status):
    (api,) = of_type(TEMPLATE, "AWS::Serverless::Api").values()

    assert api["GatewayResponses"][kind]["StatusCode"] == status


def test_the_api_is_regional_compresses_and_logs_no_question():
    (api,) = of_type(TEMPLATE, "AWS::Serverless::Api").values()
    condition, logged, _ = api["AccessLogSetting"]["Fn::If"]

    assert api["EndpointConfiguration"] == {"Type": "REGIONAL"}
    assert api["MinimumCompressionSize"] == 1024
    assert condition == "HasAccessLog"
    assert set(json.loads(logged["Format"])) == {
        *("time", "request", "method", "route", "status", "bytes", "ms", "error")
    }
    assert "$context.path" not in logged["Format"]


def test_behind_cloudfront_waf_counts_clients_and_not_cloudfront_itself():
    (acl,) = of_type(TEMPLATE, "AWS::WAFv2::WebACL").values()
    (rule,) = acl["Rules"]

    counted = rule["Statement"]["RateBasedStatement"]

    assert counted["AggregateKeyType"] == {"Fn::If": ["HasCloudFront", "FORWARDED_IP", "IP"]}
    condition, by_header, _ = counted["ForwardedIPConfig"]["Fn::If"]
    assert (condition, by_header["HeaderName"]) == ("HasCloudFront", "X-Forwarded-For")


COSTLY = {
    "AWS::WAFv2::WebACL",
    "AWS::CloudFront::Distribution",
    "AWS::EC2::NatGateway",
    "AWS::EC2::EIP",
    "AWS::CloudWatch::CompositeAlarm",
    "AWS::CloudWatch::Dashboard",
    "AWS::Budgets::Budget",
    "AWS::EMRServerless::Application",
}


def test_what_costs_when_idle_or_no_emulator_knows_has_a_condition():
    found = [each for each in TEMPLATE["Resources"].values() if each["Type"] in COSTLY]

    assert {each["Type"] for each in found} == COSTLY
    assert all("Condition" in each for each in found)


def test_every_function_may_trace_before_it_is_asked_to():
    """Lambda refuses to trace a function whose role may not, and new permissions take seconds."""
    (policy,) = of_type(TEMPLATE, "AWS::IAM::ManagedPolicy").values()
    (statement,) = policy["PolicyDocument"]["Statement"]

    assert statement["Action"] == ["xray:PutTraceSegments", "xray:PutTelemetryRecords"]
    assert "Condition" not in TEMPLATE["Resources"]["TracingPolicy"]
    for function in FUNCTIONS.values():
        role = TEMPLATE["Resources"][function["Role"]["Fn::GetAtt"].removesuffix(".Arn")]
        assert {"Ref": "TracingPolicy"} in role["Properties"]["ManagedPolicyArns"]


def test_only_fetch_has_a_network_of_its_own_and_moves_when_it_is_ready():
    """Lambda refuses a network that a role may not use; without routes all requests would fail."""
    within = {bolt: each["VpcConfig"] for bolt, each in FUNCTIONS.items() if "VpcConfig" in each}
    _, network, _ = within["fetch"]["Fn::If"]
    ways = {
        name
        for name, each in TEMPLATE["Resources"].items()
        if each["Type"].endswith(("::Route", "RouteTableAssociation", "VPCEndpoint"))
    }

    assert set(within) == {"fetch"}
    assert network["SecurityGroupIds"] == [{"Ref": "EgressGroup"}]
    assert set(TEMPLATE["Resources"]["EgressGroup"]["DependsOn"]) == {"EgressPolicy", *ways}
    policies = of_type(TEMPLATE, "AWS::IAM::Policy")
    assert policies["EgressPolicy"]["Roles"] == [{"Ref": "FetchRole"}]


def test_the_dashboard_is_json():
    (dashboard,) = of_type(TEMPLATE, "AWS::CloudWatch::Dashboard").values()

    body = json.loads(dashboard["DashboardBody"]["Fn::Sub"])

    assert all(each["properties"]["metrics"] for each in body["widgets"])
    asked = {each["properties"]["title"].partition("?")[0] for each in body["widgets"]}
    assert asked == {"Is it healthy", "Is it polite", "What does it cost", "What waits"}


def test_the_dashboard_shows_every_queue_and_every_function():
    (dashboard,) = of_type(TEMPLATE, "AWS::CloudWatch::Dashboard").values()
    body = dashboard["DashboardBody"]["Fn::Sub"]

    for name, each in TEMPLATE["Resources"].items():
        if each["Type"] == "AWS::SQS::Queue":
            assert f"${{{name}.QueueName}}" in body
        if each["Type"] == "AWS::Serverless::Function":
            assert f'"Errors", "FunctionName", "${{{name}}}"' in body


def test_no_part_of_the_dashboard_covers_another():
    (dashboard,) = of_type(TEMPLATE, "AWS::CloudWatch::Dashboard").values()
    cells = [
        (x, y)
        for each in json.loads(dashboard["DashboardBody"]["Fn::Sub"])["widgets"]
        for x in range(each["x"], each["x"] + each["width"])
        for y in range(each["y"], each["y"] + each["height"])
    ]

    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24


def test_the_dashboard_and_the_alarms_read_metrics_that_are_told():
    (dashboard,) = of_type(TEMPLATE, "AWS::CloudWatch::Dashboard").values()
    body = json.loads(dashboard["DashboardBody"]["Fn::Sub"])
    shown = [m for each in body["widgets"] for m in each["properties"]["metrics"]]
    read = {metric[1] for metric in shown if metric[0] == "Gossamer"}
    alarms = of_type(TEMPLATE, ALARM).values()

    read |= {
        metric["MetricName"]
        for alarm in alarms
        for metric in metrics_of(alarm)
        if metric["Namespace"] == "Gossamer"
    }

    assert read <= set(METRICS)
    assert {"Failures", "Cost", "SlowDowns"} < read


def test_the_bucket_is_private_encrypted_and_keeps_pages():
    (bucket,) = of_type(TEMPLATE, "AWS::S3::Bucket").values()

    assert all(bucket["PublicAccessBlockConfiguration"].values())
    assert "BucketEncryption" in bucket
    assert TEMPLATE["Parameters"]["WarcDays"]["Default"] == 0


def test_every_parameter_says_what_it_is_and_who_crawls_has_no_default():
    parameters = TEMPLATE["Parameters"]
    groups = TEMPLATE["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]

    assert all(each["Description"] for each in parameters.values())
    assert [name for name, each in parameters.items() if "Default" not in each] == ["Contact"]
    assert {name for group in groups for name in group["Parameters"]} == set(parameters)


def test_the_profiles_set_parameters_that_exist():
    config = tomllib.loads((ROOT / "samconfig.toml").read_text())

    for stage in ("dev", "prod"):
        given = config[stage]["deploy"]["parameters"]["parameter_overrides"]
        assert {each.partition("=")[0] for each in given} < set(TEMPLATE["Parameters"])
        assert f"Stage={stage}" in given


def test_the_index_can_be_written_in_the_formats_that_the_program_writes():
    parameter = TEMPLATE["Parameters"]["IndexFormat"]

    assert parameter["AllowedValues"] == list(WRITTEN_FORMATS)
    assert parameter["Default"] == DEFAULT_FORMAT
