"""The file memory of Claude Code and of agents that keep one like it: MEMORY.md, its topic files, its places (CC-*)."""
