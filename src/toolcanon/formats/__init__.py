"""Formats: one provider, one file or folder. ``wire`` contains what families share."""
