"""How a query becomes a plan."""
