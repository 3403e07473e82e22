"""SQS: queues and dead letters."""
