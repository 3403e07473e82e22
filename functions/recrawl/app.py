"""RECRAWL: asks again for pages that have probably changed."""

from gossamer.entrypoints.lambda_home import aws, home
from gossamer.entrypoints.recrawling import recrawl_handler

handler = recrawl_handler(home, aws)
