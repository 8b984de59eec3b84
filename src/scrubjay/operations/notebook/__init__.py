"""The notebook that a coding agent keeps: written with its index, found, checked and kept in order (spec §5)."""
