"""How things are measured: processes, memory, time, load, and the machine itself."""
