"""One provider, one file. ``wire`` holds what families share."""
