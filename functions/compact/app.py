"""COMPACT: delta segments and small generations become one larger generation."""

from gossamer.entrypoints.compacting import compact_handler
from gossamer.entrypoints.index_home import store
from gossamer.entrypoints.lambda_home import aws, home

handler = compact_handler(home, store, lambda: aws().jobs)
