"""What fulfils the ports: one folder per technology."""
