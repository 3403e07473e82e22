"""The steps of the pipeline: message and ports in, emissions out. A bolt never sends or sleeps."""
