"""What is counted of jobs and URLs, by many processes at once."""
