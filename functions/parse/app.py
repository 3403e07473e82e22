"""PARSE: a stored page becomes a document and links."""

from gossamer.entrypoints.lambda_home import home
from gossamer.entrypoints.sqs import sqs_handler

handler = sqs_handler("parse", home)
