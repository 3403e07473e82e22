"""RANK: from all links, who is pointed to how much, by whom, and under which names."""

from gossamer.entrypoints.lambdas.context import aws, home
from gossamer.entrypoints.lambdas.rank import rank_handler

handler = rank_handler(home, aws)
