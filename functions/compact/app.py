"""COMPACT: delta segments and small generations become one larger generation."""

from gossamer.entrypoints.lambdas.compact import compact_handler
from gossamer.entrypoints.lambdas.context import aws, home
from gossamer.entrypoints.lambdas.index_context import store

handler = compact_handler(home, store, lambda: aws().jobs)
