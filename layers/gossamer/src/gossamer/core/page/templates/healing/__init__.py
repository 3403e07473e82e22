"""Templates whose pages have changed: learned again from values that are known of these pages."""
