"""The API behind API Gateway."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from gossamer.entrypoints.api.access import ANY, access_of
from gossamer.entrypoints.api.answers import refusal
from gossamer.entrypoints.api.gateway_event import Refused
from gossamer.entrypoints.lambdas.chalice_app import make_app
from gossamer.entrypoints.lambdas.context import worker
from gossamer.entrypoints.lambdas.snapshots import seed_after_restore
from gossamer.settings import Settings

if TYPE_CHECKING:
    from gossamer.entrypoints.api.access import Access
    from gossamer.entrypoints.api.gateway_event import App, Event, Said

seed_after_restore(os.environ)


@lru_cache(maxsize=1)
def app() -> App:
    """The API over the home that the environment names."""
    from gossamer.entrypoints.api.services import backend_of

    return make_app(backend_of(Settings.from_environ(os.environ)))


@lru_cache(maxsize=1)
def access() -> Access:
    """Which origins may read; all, unless the environment names some."""
    return access_of([], [Settings.from_environ(os.environ).allow_origin or ANY])


def handler(event: Event, context: object) -> Said:
    """Answer one request; one event in the log, without what was asked."""
    telemetry = worker().telemetry
    with telemetry.invocation("api", context):
        telemetry.count("apigw")
        answer = _answer(event, context)
        telemetry.count(f"Status{answer['statusCode'] // 100}xx")
    return answer


def _answer(event: Event, context: object) -> Said:
    given = event.get("headers")
    # API Gateway keeps names as the client wrote them.
    headers = {k.lower(): str(v) for k, v in given.items()} if isinstance(given, dict) else {}
    try:
        access().check_origin(str(event.get("httpMethod", "")), headers)
        answer = app()(event, context)
    except Refused as refused:
        made = refusal(refused.status, refused.message)
        answer = {"statusCode": made.status, "headers": made.headers, "body": made.body}
    answer["headers"] = access().granted(answer["headers"], headers.get("origin", ""))
    return answer
