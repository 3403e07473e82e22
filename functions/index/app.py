"""INDEX: a batch of documents becomes a delta segment."""

from gossamer.entrypoints.lambdas.context import worker
from gossamer.entrypoints.lambdas.index import index_handler

handler = index_handler(worker)
