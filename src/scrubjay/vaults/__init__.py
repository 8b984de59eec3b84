"""The truth: where documents are stored, found, watched, and to which project they belong."""
