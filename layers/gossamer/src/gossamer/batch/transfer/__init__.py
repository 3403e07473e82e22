"""Copying a collection from one home into another."""
