"""The command `gossamer template` and what it does."""
