"""The cloud home: every port over DynamoDB, S3 and SQS. Only this package speaks to AWS."""
