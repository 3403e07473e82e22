"""Templates that are learned: from values marked on some pages, or from the records of a list."""
