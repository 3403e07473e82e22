"""Map errors of AWS to ours: one table, and one context manager that applies it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
)

from gossamer.core.errors import (
    ConfigurationError,
    Forbidden,
    GossamerError,
    MissingResource,
    PermanentError,
    Throttled,
    Unreachable,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

# A condition that does not hold is an answer, not an error: tables.py turns it into a value. If one
# comes as far as this table, it comes from a call that does not expect it.
CONDITION = "ConditionalCheckFailedException"
CANCELED = "TransactionCanceledException"

_THROTTLED = (
    "ProvisionedThroughputExceededException",
    "LimitExceededException",  # of CreateTable: too many at once
    "ConditionalRequestConflict",  # S3: another writes the same object
    "OverLimit",  # SQS: too many messages in flight
    "RequestLimitExceeded", "RequestThrottled", "RequestThrottledException",
    "ReplicatedWriteConflictException", "SlowDown", "Throttling", "ThrottlingException",
    "ThrottledException", "TooManyRequestsException", "TransactionConflictException",
    "TransactionInProgressException", "ResourceInUseException", "TableInUseException",
    "AWS.SimpleQueueService.PurgeQueueInProgress", "AWS.SimpleQueueService.QueueDeletedRecently",
    "PurgeQueueInProgress", "QueueDeletedRecently", "EC2ThrottledException", "KmsThrottled",
)  # fmt: skip
_UNREACHABLE = (
    "BadGateway", "InternalError", "InternalFailure", "InternalServerError", "InternalServiceError",
    "RequestTimeout", "RequestTimeoutException", "ServiceUnavailable",
    "ServiceUnavailableException", "500", "502", "503", "504",
)  # fmt: skip
_MISSING = (
    "404", "AWS.SimpleQueueService.NonExistentQueue", "NoSuchBucket", "NoSuchKey",
    "NoSuchUpload", "NotFound", "QueueDoesNotExist", "ResourceNotFoundException",
    "TableNotFoundException",
)  # fmt: skip
_FORBIDDEN = (
    "403", "AccessDenied", "AccessDeniedException", "AllAccessDisabled", "ExpiredToken",
    "ExpiredTokenException", "IncompleteSignature", "InvalidAccessKeyId", "InvalidClientTokenId",
    "InvalidSecurity", "InvalidSignatureException", "KmsAccessDenied", "KmsDisabled",
    "KmsInvalidKeyUsage", "KmsInvalidState", "KmsNotFound", "KmsOptInRequired",
    "MissingAuthenticationToken", "MissingAuthenticationTokenException", "NotAuthorized",
    "OptInRequired", "RequestExpired", "SignatureDoesNotMatch", "UnauthorizedOperation",
    "UnrecognizedClientException",
)  # fmt: skip
_PERMANENT = (
    CANCELED, CONDITION, "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
    "AWS.SimpleQueueService.BatchRequestTooLong", "AWS.SimpleQueueService.EmptyBatchRequest",
    "AWS.SimpleQueueService.InvalidBatchEntryId", "AWS.SimpleQueueService.MessageNotInflight",
    "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
    "AWS.SimpleQueueService.UnsupportedOperation", "BatchEntryIdsNotDistinct",
    "BatchRequestTooLong", "BucketAlreadyExists", "BucketAlreadyOwnedByYou", "DecryptionFailure",
    "EmptyBatchRequest", "EncryptionTypeMismatch", "EntityTooLarge", "IdempotencyParameterMismatch",
    "IdempotentParameterMismatchException", "InvalidAddress", "InvalidAttributeName",
    "InvalidAttributeValue", "InvalidBatchEntryId", "InvalidIdFormat", "InvalidMessageContents",
    "InvalidObjectState", "InvalidParameterException", "InvalidRange", "InvalidRequest",
    "InvalidRequestException", "InvalidRestoreTimeException", "InvalidWriteOffset",
    "ItemCollectionSizeLimitExceededException", "PointInTimeRecoveryUnavailableException",
    "TableAlreadyExistsException",
    "MessageNotInflight", "PreconditionFailed", "QueueNameExists", "ReceiptHandleIsInvalid",
    "SerializationException", "TooManyEntriesInBatchRequest", "TooManyParts",
    "UnsupportedOperation", "ValidationError", "ValidationException",
)  # fmt: skip

MEANING: dict[str, type[GossamerError]] = {
    **dict.fromkeys(_THROTTLED, Throttled),
    **dict.fromkeys(_UNREACHABLE, Unreachable),
    **dict.fromkeys(_MISSING, MissingResource),
    **dict.fromkeys(_FORBIDDEN, Forbidden),
    **dict.fromkeys(_PERMANENT, PermanentError),
}
_NOT_SET_UP = (NoCredentialsError, PartialCredentialsError, NoRegionError)


def code_of(error: ClientError) -> str:
    """The code AWS gave an error."""
    return str(error.response.get("Error", {}).get("Code", ""))


def meaning(error: ClientError, operation: str, resource: str) -> GossamerError:
    """The error of ours that an error of AWS stands for; it names what was tried and on what."""
    code = code_of(error)
    message = str(error.response.get("Error", {}).get("Message", ""))
    kind = MEANING.get(code)
    if kind is None:
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        kind = Unreachable if int(status) >= 500 else PermanentError
    # CloudFormation says "ValidationError" of a stack that is not there.
    if code == "ValidationError" and "does not exist" in message:
        kind = MissingResource
    said = _SAYS.get(kind, "{op} of {it} failed").format(op=operation, it=resource)
    return kind(f"{said}: {code}: {message}")


_SAYS: dict[type[GossamerError], str] = {
    MissingResource: "{it} does not exist",
    Forbidden: "not allowed: {op} on {it}",
    Throttled: "{op} of {it} was throttled",
    Unreachable: "{op} of {it} was not answered",
}


@contextmanager
def translated(operation: str, resource: str) -> Iterator[None]:
    """Whatever AWS or the way to it does inside becomes an error of ours."""
    try:
        yield
    except ClientError as error:
        raise meaning(error, operation, resource) from error
    except _NOT_SET_UP as error:
        raise ConfigurationError(f"AWS is not set up here: {error}") from error
    except BotoCoreError as error:
        raise Unreachable(f"{operation} of {resource} was not answered: {error}") from error
