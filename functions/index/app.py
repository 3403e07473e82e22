"""INDEX: a batch of documents becomes a delta segment."""

from gossamer.entrypoints.batches import index_handler
from gossamer.entrypoints.index_home import home

handler = index_handler(home)
