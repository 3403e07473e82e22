"""Is every error that AWS can give us one of ours?"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    NoRegionError,
    ReadTimeoutError,
)
from botocore.loaders import Loader
from botocore.model import ServiceModel

from gossamer.adapters import aws
from gossamer.adapters.aws.errors import MEANING, translated
from gossamer.core.errors import (
    ConfigurationError,
    Forbidden,
    MissingResource,
    PermanentError,
    Throttled,
    TransientError,
    Unreachable,
)

SERVICES = ("dynamodb", "sqs", "s3", "secretsmanager", "cloudformation")
GENERIC = {
    "ThrottlingException": Throttled,
    "RequestLimitExceeded": Throttled,
    "Throttling": Throttled,
    "SlowDown": Throttled,
    "AccessDeniedException": Forbidden,
    "AccessDenied": Forbidden,
    "ExpiredToken": Forbidden,
    "ExpiredTokenException": Forbidden,
    "UnrecognizedClientException": Forbidden,
    "InvalidSignatureException": Forbidden,
    "InternalServerError": Unreachable,
    "InternalFailure": Unreachable,
    "ServiceUnavailable": Unreachable,
    "ValidationException": PermanentError,
    "SerializationException": PermanentError,
}


def model(service):
    return ServiceModel(Loader().load_service_model(service, "service-2"), service)


def called():
    """Every (service, operation) whose name stands in our sources."""
    words = set()
    for path in Path(aws.__file__).parent.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text()))
        words |= {
            n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)
        }
    return [
        (service, operation)
        for service in SERVICES
        for operation in model(service).operation_names
        if operation in words
    ]


def error(code, status=400, message="no"):
    return ClientError(
        {
            "Error": {"Code": code, "Message": message},
            "ResponseMetadata": {"HTTPStatusCode": status},
        },
        "GetItem",
    )


def meaning_of(raised):
    with pytest.raises(Exception) as caught, translated("GetItem", "table s-urls"):  # noqa: PT011
        raise raised
    return caught.value


def test_we_know_what_we_call():
    operations = called()

    assert ("dynamodb", "TransactWriteItems") in operations
    assert ("sqs", "SendMessageBatch") in operations
    assert ("s3", "PutObject") in operations
    assert ("secretsmanager", "GetSecretValue") in operations


@pytest.mark.parametrize("service", SERVICES)
def test_every_error_that_a_call_of_ours_declares_has_a_meaning(service):
    described = model(service)
    unknown = {
        (operation, code)
        for name, operation in called()
        if name == service
        for shape in described.operation_model(operation).error_shapes
        for code in (shape.name, shape.error_code)
        if code not in MEANING
    }

    assert unknown == set()


@pytest.mark.parametrize(("code", "kind"), GENERIC.items())
def test_errors_that_any_call_may_give(code, kind):
    assert type(meaning_of(error(code))) is kind


@pytest.mark.parametrize(
    "raised",
    [
        EndpointConnectionError(endpoint_url="http://x.test"),
        ConnectTimeoutError(endpoint_url="http://x.test"),
        ReadTimeoutError(endpoint_url="http://x.test"),
    ],
)
def test_a_service_that_does_not_answer_is_unreachable(raised):
    assert isinstance(meaning_of(raised), Unreachable)


@pytest.mark.parametrize("raised", [NoCredentialsError(), NoRegionError()])
def test_what_a_person_forgot_to_set_up_is_said(raised):
    said = meaning_of(raised)

    assert isinstance(said, ConfigurationError)
    assert "AWS is not set up here" in str(said)


def test_an_unknown_code_is_judged_by_its_status():
    assert isinstance(meaning_of(error("Novelty", 503)), TransientError)
    assert isinstance(meaning_of(error("Novelty", 400)), PermanentError)


def test_an_error_names_the_call_and_the_resource():
    missing = meaning_of(error("ResourceNotFoundException"))
    forbidden = meaning_of(error("AccessDeniedException"))

    assert isinstance(missing, MissingResource)
    assert str(missing).startswith("table s-urls does not exist")
    assert str(forbidden).startswith("not allowed: GetItem on table s-urls")


def test_a_stack_that_is_not_there_is_missing():
    said = meaning_of(error("ValidationError", message="Stack with id s does not exist"))

    assert isinstance(said, MissingResource)


def test_other_errors_pass_through():
    assert isinstance(meaning_of(KeyError("x")), KeyError)
