"""When to fetch a page again: change rates, policy, budget."""
