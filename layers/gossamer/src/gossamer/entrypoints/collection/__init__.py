"""What the owner of a collection changes, from the command line and over HTTP."""
