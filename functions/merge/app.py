"""MERGE: a large merge of segments in parts, side by side, and their joining."""

from gossamer.entrypoints.lambdas.context import worker
from gossamer.entrypoints.lambdas.merge import merge_handler

handler = merge_handler(worker)
