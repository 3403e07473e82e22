"""Find a deployed stack and read its outputs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, get_args

from gossamer.core.errors import ConfigurationError, GossamerError, MissingResource
from gossamer.core.index.segments.formats import DEFAULT_FORMAT, WRITTEN_FORMATS
from gossamer.messages import Stream
from gossamer.ports.admin.stack import Deployment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.adapters.aws.clients import Clients, Json

LOOK_BACK = timedelta(minutes=15)  # SQS reports the age of messages every minute, some late
PERIOD = 60


def find_stack(clients: Clients, stack: str) -> Deployment:
    """A stack by its name; raises ConfigurationError if there is none, or none of ours."""
    try:
        answer = clients.call("cloudformation", "DescribeStacks", f"stack {stack}", StackName=stack)
    except MissingResource as error:
        region = clients.client("cloudformation").meta.region_name
        raise MissingResource(f"there is no stack {stack!r} in {region}") from error
    return _read(stack, answer["Stacks"][0], clients.endpoint)


def _read(stack: str, described: Json, endpoint: str) -> Deployment:
    outputs = _pairs(described, "Outputs", "Output")
    parameters = _pairs(described, "Parameters", "Parameter")
    if "PagesBucket" not in outputs:
        raise ConfigurationError(
            f"stack {stack!r} ({described.get('StackStatus')}) is not one of Gossamer's,"
            " or was never deployed completely: it has no output PagesBucket"
        )
    queues = {name: outputs.get(f"{name.capitalize()}QueueUrl") for name in get_args(Stream)}
    return Deployment(
        stack=stack,
        bucket=outputs["PagesBucket"],
        queues={name: url for name, url in queues.items() if url},
        collection=parameters.get("Collection", ""),
        contact=parameters.get("Contact", ""),
        search_url=_search_url(outputs, endpoint),
        admin_secret=outputs.get("AdminKeySecret", ""),
        daily_usd=_budget(parameters, "DailyBudget"),
        search_usd=_budget(parameters, "SearchBudget"),
        index_format=_index_format(parameters),
    )


def _index_format(parameters: Mapping[str, str]) -> int:
    """Return the format that the stack writes, or the newest that this program can write."""
    return min(int(parameters.get("IndexFormat") or DEFAULT_FORMAT), WRITTEN_FORMATS[-1])


def _search_url(outputs: Mapping[str, str], endpoint: str) -> str:
    """Return the address of the search page; both emulators serve it under a path of their own."""
    url = outputs.get("SearchUrl", "")
    if not endpoint or not url:
        return url
    stage = url.rstrip("/").rpartition("/")[2]
    return f"{endpoint.rstrip('/')}/_aws/execute-api/{outputs.get('ApiId', '')}/{stage}/"


def _budget(parameters: Mapping[str, str], name: str) -> float:
    """Return a limit of a day; 0 in a stack whose budgets only raise an alarm."""
    pauses = parameters.get("OverBudget") == "pause"
    return float(parameters.get(name) or 0.0) if pauses else 0.0


def _pairs(described: Json, name: str, kind: str) -> dict[str, str]:
    found = described.get(name) or ()
    return {str(pair[f"{kind}Key"]): str(pair.get(f"{kind}Value", "")) for pair in found}


def oldest_messages(clients: Clients, stack: str, queues: Sequence[str]) -> dict[str, float]:
    """For how long the oldest message of each queue has waited, as CloudWatch last heard of it.

    Only SQS knows it. Without an answer nothing is known, which is no
    reason to hide the rest.
    """
    now = datetime.now(UTC)
    try:
        answer = clients.call(
            "cloudwatch",
            "GetMetricData",
            f"metrics of stack {stack}",
            MetricDataQueries=[_query(stack, n, name) for n, name in enumerate(queues)],
            StartTime=now - LOOK_BACK,
            EndTime=now,
            ScanBy="TimestampDescending",
        )
    except GossamerError:
        return {}
    found = {result["Id"]: result.get("Values") for result in answer.get("MetricDataResults", ())}
    return {
        name: float(values[0]) for n, name in enumerate(queues) if (values := found.get(f"q{n}"))
    }


def _query(stack: str, number: int, queue: str) -> Json:
    metric = {
        "Namespace": "AWS/SQS",
        "MetricName": "ApproximateAgeOfOldestMessage",
        "Dimensions": [{"Name": "QueueName", "Value": f"{stack}-{queue}"}],
    }
    return {
        "Id": f"q{number}",
        "MetricStat": {"Metric": metric, "Period": PERIOD, "Stat": "Maximum"},
    }
