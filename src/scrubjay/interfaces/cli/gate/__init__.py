"""The gate on a terminal: which files, then one question for each proposal (SM-11, SM-12, SM-18)."""
