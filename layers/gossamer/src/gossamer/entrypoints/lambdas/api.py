"""How does an event of API Gateway reach the router, and what is said about it?"""

from __future__ import annotations

import logging
from typing import Any

from gossamer.entrypoints.api.routes import app
from gossamer.entrypoints.lambdas.context import home

log = logging.getLogger(__name__)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer one request; one event in the log, without what was asked."""
    telemetry = home().telemetry
    with telemetry.invocation("api", context):
        telemetry.count("apigw")
        answer: dict[str, Any] = app(event, context)
        telemetry.count(f"Status{answer['statusCode'] // 100}xx")
    return answer
