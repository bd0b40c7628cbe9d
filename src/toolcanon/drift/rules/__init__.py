"""The rules of drift: one file for each family."""
