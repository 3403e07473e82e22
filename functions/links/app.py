"""LINKS: decide which of the found links enter the frontier."""

from gossamer.entrypoints.lambdas.context import worker
from gossamer.entrypoints.lambdas.sqs import sqs_handler

handler = sqs_handler("links", worker)
