"""RANK: from all links, who is pointed to how much, by whom, and under which names."""

from gossamer.entrypoints.lambdas.context import worker
from gossamer.entrypoints.lambdas.rank import rank_handler

handler = rank_handler(worker)
