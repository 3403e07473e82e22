"""Synonyms: lists of rules, and the rules that fit a query."""
