"""A week of a whole stack on a virtual clock: what it does, what it costs, and what breaks first."""
