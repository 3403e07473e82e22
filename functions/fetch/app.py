"""FETCH: inside its booked slot, one request."""

from gossamer.entrypoints.lambdas.context import worker
from gossamer.entrypoints.lambdas.sqs import sqs_handler

handler = sqs_handler("fetch", worker)
