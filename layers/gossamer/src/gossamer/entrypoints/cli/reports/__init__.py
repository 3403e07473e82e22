"""The commands that check a collection and say what is in it."""
