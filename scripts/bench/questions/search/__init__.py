"""What a search costs, and how good its answers are."""
