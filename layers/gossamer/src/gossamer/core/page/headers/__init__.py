"""What the headers of a response say of its page."""
