"""One module per benchmark question, named as its command; each measures and reports."""
