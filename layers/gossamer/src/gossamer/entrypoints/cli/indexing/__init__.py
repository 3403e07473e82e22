"""The commands that build, merge and look at the index."""
