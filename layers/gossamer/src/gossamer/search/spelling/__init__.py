"""Other spellings of a query: which of its words are misspelt, and what they may be."""
