"""COMPACT: delta segments and small generations become one larger generation."""

from gossamer.entrypoints.lambdas.compact import compact_handler
from gossamer.entrypoints.lambdas.context import worker

handler = compact_handler(worker)
