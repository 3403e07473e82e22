"""Where the outside comes in: the command line, the local runner, SQS events."""
