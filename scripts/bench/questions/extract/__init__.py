"""How well pages are read: their text, their fields, their records."""
