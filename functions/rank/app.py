"""RANK: from all links, who is pointed to how much, by whom, and under which names."""

from gossamer.entrypoints.lambda_home import aws, home
from gossamer.entrypoints.ranking import rank_handler

handler = rank_handler(home, aws)
