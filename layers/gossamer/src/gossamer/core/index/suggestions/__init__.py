"""What a search box may suggest: entries of a segment, and how they are found by a beginning."""
