"""PARSE: a stored page becomes a document and links."""

from gossamer.entrypoints.lambdas.context import worker
from gossamer.entrypoints.lambdas.sqs import sqs_handler

handler = sqs_handler("parse", worker)
