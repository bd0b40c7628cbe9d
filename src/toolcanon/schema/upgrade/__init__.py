"""Schemas of older drafts and looser habits, made JSON Schema 2020-12."""
