"""LINKS: which of the links that were found enter the frontier?"""

from gossamer.entrypoints.lambda_home import home
from gossamer.entrypoints.sqs import sqs_handler

handler = sqs_handler("links", home)
