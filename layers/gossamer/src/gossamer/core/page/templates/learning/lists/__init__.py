"""Lists that are learned without marks: records of a page, their columns, the next page."""
