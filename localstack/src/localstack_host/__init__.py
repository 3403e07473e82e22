"""How does LocalStack run functions and tables where there is neither Docker nor Java?"""
