"""What AWS bills: units of each call, and their prices."""
