"""What does a query mean, and which documents answer it best?"""
