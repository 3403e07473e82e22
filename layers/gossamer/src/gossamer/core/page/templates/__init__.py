"""Templates: how the pages of some URLs become typed documents, without code."""
