"""A new database in place of one that is damaged."""
