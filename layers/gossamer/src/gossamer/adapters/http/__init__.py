"""The web, over sockets."""
