"""Ask the API of a fake search service, by its endpoints or by events of API Gateway."""

from __future__ import annotations

import json
from functools import partial

from gossamer.entrypoints.api.answers import Request, answer
from gossamer.entrypoints.api.backend import Backend
from tests.fake_search import Served

SERVED = Served()
APP = SERVED.app()


def ask(endpoint, method="GET", headers=None, args=None, **query):
    texts = {name: value if isinstance(value, list) else [value] for name, value in query.items()}
    asked = partial(endpoint, Backend(lambda: SERVED.service))
    return answer(asked, Request(method, texts, headers or {}, args or {}))


def event(resource, method="GET", query=None, args=None, headers=None):
    """What API Gateway sends for a REST API."""
    return {
        "resource": resource,
        "path": resource,
        "httpMethod": method,
        "headers": headers or {"Accept": "application/json"},
        "multiValueHeaders": {},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": query,
        "pathParameters": args,
        "stageVariables": None,
        "requestContext": {"resourcePath": resource, "httpMethod": method, "stage": "Prod"},
        "body": None,
        "isBase64Encoded": False,
    }


def error(made):
    return json.loads(made.body)["error"]
