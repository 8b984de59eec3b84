"""Claude Code (TR-1 … TR-10): JSON Lines that hold a tree of records; its host calls the format internal."""
