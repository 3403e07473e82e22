"""FETCH: inside its booked slot, one request."""

from gossamer.entrypoints.lambda_home import home
from gossamer.entrypoints.sqs import sqs_handler

handler = sqs_handler("fetch", home)
