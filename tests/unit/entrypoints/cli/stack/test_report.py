"""Is the report of a stack right about its speed, and readable?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

import pytest

from gossamer.adapters.aws.stack.deployment import find_stack
from gossamer.entrypoints.cli.stack.home import open_stack
from gossamer.entrypoints.cli.stack.report import stack_report, stack_summary
from tests.unit.entrypoints.moto_stack import STACK, begin_job, home, job

if TYPE_CHECKING:
    from gossamer.adapters.aws.clients import Clients

pytestmark = pytest.mark.usefixtures("stack")
NOON = 12 * 3600.0


def test_the_speed_is_that_of_the_last_hours_alone():
    begin_job()  # hours ago
    stack = open_stack(STACK)
    home().counters.add({"pages": 5000}, NOON - 3 * 3600)
    home().counters.add({"pages": 180}, NOON - 1800)

    report = stack_report(stack, job(), NOON + 1800)

    assert report.pages == 5180
    assert report.pages_per_minute == 2.0  # 180 pages in 90 minutes


def test_dead_letters_are_counted_and_the_remedy_is_named():
    begin_job()
    stack = open_stack(STACK)
    report = stack_report(stack, job(), NOON)
    report.dead_letters = 3

    text = stack_summary(report)

    assert text.startswith("crawl: running, ")
    assert "3 dead letters: see `gossamer redrive`" in text


def test_what_sqs_gave_up_has_a_row():
    begin_job()
    stack = open_stack(STACK)
    opened = home()
    sqs = opened.clients.client("sqs")
    url = sqs.get_queue_url(QueueName=f"{STACK}-lost")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody="x")

    report = stack_report(stack, job(), NOON)

    assert report.queues["lost"].due == 1
    assert re.search(r"^  lost +1 ", stack_summary(report), re.MULTILINE)


class Described:
    """CloudFormation, which knows nothing but AWS's own addresses."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint

    def call(self, *_: str, **_parameters: str) -> dict[str, Any]:
        outputs = {
            "PagesBucket": "b",
            "ApiId": "a1b2",
            "SearchUrl": "https://a1b2.execute-api.us-east-1.amazonaws.com/dev/",
        }
        named = [{"OutputKey": name, "OutputValue": value} for name, value in outputs.items()]
        return {"Stacks": [{"Outputs": named}]}


@pytest.mark.parametrize(
    ("endpoint", "url"),
    [
        ("", "https://a1b2.execute-api.us-east-1.amazonaws.com/dev/"),
        ("https://127.0.0.1:4599", "https://127.0.0.1:4599/_aws/execute-api/a1b2/dev/"),
    ],
)
def test_the_address_of_the_search_page_leads_to_it(endpoint, url):
    found = find_stack(cast("Clients", Described(endpoint)), STACK)

    assert found.search_url == url
