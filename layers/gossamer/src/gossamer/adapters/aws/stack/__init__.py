"""A deployed stack as a whole: find it, purge it, operate it."""
