"""Files of a folder as documents: a person's own, or those of a static site."""
