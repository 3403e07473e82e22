"""Benchmarks of Gossamer beside other programs. Run `python -m scripts.bench --help`."""
