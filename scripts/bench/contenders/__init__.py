"""The programs and libraries that are measured side by side, Gossamer among them."""
