"""A week of a whole stack on a virtual clock: what it does and costs, and what breaks first."""
