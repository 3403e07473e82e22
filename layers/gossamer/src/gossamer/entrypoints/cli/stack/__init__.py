"""Commands that work on a deployed stack."""
