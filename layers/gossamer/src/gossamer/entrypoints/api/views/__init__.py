"""Documents and results in other forms than JSON."""
