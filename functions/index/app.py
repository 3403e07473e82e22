"""INDEX: a batch of documents becomes a delta segment."""

from gossamer.entrypoints.lambdas.index import index_handler
from gossamer.entrypoints.lambdas.index_context import home

handler = index_handler(home)
