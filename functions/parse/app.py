"""PARSE: a stored page becomes a document and links."""

from gossamer.entrypoints.lambdas.context import home
from gossamer.entrypoints.lambdas.sqs import sqs_handler

handler = sqs_handler("parse", home)
