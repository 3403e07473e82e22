"""What is true of URLs, robots, slots and pages, as arithmetic on values."""
