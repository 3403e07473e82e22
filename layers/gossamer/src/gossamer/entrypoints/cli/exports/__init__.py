"""What `gossamer export` writes besides tables of the stores: archives, and values as a table."""
