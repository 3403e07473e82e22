"""Small answers: what a query asks that can be computed."""
