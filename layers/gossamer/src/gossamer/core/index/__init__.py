"""Turn text into an index that is looked up by term."""
