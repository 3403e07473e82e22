"""SCHEDULE: may this host be asked, and when?"""

from gossamer.entrypoints.lambda_home import home
from gossamer.entrypoints.sqs import sqs_handler

handler = sqs_handler("frontier", home)
