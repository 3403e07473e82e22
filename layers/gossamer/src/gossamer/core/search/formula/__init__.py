"""The boosting formula of a collection: its language, and its compiler to arithmetic on columns."""
