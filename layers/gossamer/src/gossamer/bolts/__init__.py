"""The steps of the pipeline: a message and ports in, emissions out. A bolt never sends or sleeps."""
