"""Templates of other programs: read from their formats, and written in one of them."""
