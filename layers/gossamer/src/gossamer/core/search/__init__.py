"""Parse, plan and score queries."""
