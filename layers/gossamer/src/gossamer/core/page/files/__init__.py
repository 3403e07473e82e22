"""Readers of files that are no web pages: PDF, office documents, books, tables."""
