"""Documents as tables: CSV, JSON lines, Parquet, and aligned columns for a terminal."""
