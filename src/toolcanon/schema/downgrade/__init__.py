"""JSON Schema 2020-12 written in an older draft."""
