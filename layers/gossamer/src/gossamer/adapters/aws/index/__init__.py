"""The index in DynamoDB."""
