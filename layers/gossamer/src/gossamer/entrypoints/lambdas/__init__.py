"""Lambda handlers."""
