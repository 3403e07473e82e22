"""Do requests become the events that API Gateway sends?"""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.entrypoints.api.gateway_event import Head, Refused, Resources, event_of, parse_head


def test_an_event_looks_as_if_it_came_from_api_gateway():
    head = parse_head(
        b"GET /documents/a%20b?q=x&q=y+z&empty= HTTP/1.1\r\n"
        b"Host: a.test\r\nAccept: a\r\nACCEPT: b\r\n\r\n"
    )

    made: Any = event_of(head, b"", Resources(["/", "/documents/{id}"]), "127.0.0.1")

    assert made["resource"] == made["requestContext"]["resourcePath"] == "/documents/{id}"
    assert made["pathParameters"] == {"id": "a b"}
    assert made["multiValueQueryStringParameters"] == {"q": ["x", "y z"], "empty": [""]}
    assert made["queryStringParameters"] == {"q": "y z", "empty": ""}
    assert made["headers"]["accept"] == "a, b"
    assert made["requestContext"]["httpMethod"] == "GET"
    assert made["body"] is None


def test_an_event_without_parameters_has_none():
    head = parse_head(b"HEAD / HTTP/1.1\r\nHost: a.test\r\n\r\n")

    made: Any = event_of(head, b"", Resources(["/"]), "127.0.0.1")

    assert made["httpMethod"] == "GET"
    assert made["multiValueQueryStringParameters"] is None
    assert made["pathParameters"] is None


@pytest.mark.parametrize(
    ("path", "resource", "arguments"),
    [
        ("/jobs", "/jobs", None),
        ("/jobs/a%2Fb", "/jobs/{job}", {"job": "a/b"}),
        ("/jobs/a/stop", "/jobs/{job}/{action}", {"job": "a", "action": "stop"}),
    ],
)
def test_a_path_belongs_to_one_resource(path, resource, arguments):
    resources = Resources(["/jobs", "/jobs/{job}", "/jobs/{job}/{action}"])

    assert resources.match(path) == (resource, arguments)


def test_a_path_of_no_resource_is_refused():
    with pytest.raises(Refused) as refused:
        Resources(["/jobs"]).match("/jobs/")

    assert refused.value.status == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"content-length": "-1"}, 400),
        ({"content-length": "70000"}, 413),
        ({"transfer-encoding": "chunked"}, 411),
    ],
)
def test_a_body_whose_length_cannot_be_trusted_is_refused(headers, status):
    with pytest.raises(Refused) as refused:
        _ = Head("POST", "/seeds", "HTTP/1.1", headers).length

    assert refused.value.status == status
