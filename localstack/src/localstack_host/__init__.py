"""Run LocalStack's functions and tables on a machine without Docker and Java."""
