"""RECRAWL: asks again for pages that have probably changed."""

from gossamer.entrypoints.lambdas.context import aws, home
from gossamer.entrypoints.lambdas.recrawl import recrawl_handler

handler = recrawl_handler(home, aws)
