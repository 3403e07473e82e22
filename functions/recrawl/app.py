"""RECRAWL: asks again for pages that have probably changed."""

from gossamer.entrypoints.lambdas.context import worker
from gossamer.entrypoints.lambdas.recrawl import recrawl_handler

handler = recrawl_handler(worker)
