"""DynamoDB: tables, models, keys, transactions."""
