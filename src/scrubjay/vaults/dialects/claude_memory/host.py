"""Every constant that the host defines, in one place, as its documentation had them on ``VERIFIED``.

They change quickly (spec §13.3): whoever looks them up again changes them here, and the date.
"""

from __future__ import annotations

from types import MappingProxyType

VERIFIED = "2026-08-22"

# Places (CC-P1 … CC-P7)
FOLDER = ".claude"
PROJECTS = "projects"
MEMORY = "memory"
TEAM = "team"
LOGS = "logs"
AGENT_MEMORY = "agent-memory"
AGENT_MEMORY_LOCAL = "agent-memory-local"
MAX_KEY = 200
"""UTF-16 units of a project key before the rest becomes a hash (CC-P2)."""

# Environment and settings (CC-P3, CC-P4)
CONFIG_DIR = "CLAUDE_CONFIG_DIR"
PATH_OVERRIDE = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"
PROJECT_DIR_NAME = "CLAUDE_CODE_PROJECT_DIR_NAME"
DISABLE = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
SIMPLE = "CLAUDE_CODE_SIMPLE"
REMOTE = "CLAUDE_CODE_REMOTE"
SETTINGS = "settings.json"
SETTINGS_LOCAL = "settings.local.json"
DIRECTORY_SETTING = "autoMemoryDirectory"
ENABLED_SETTING = "autoMemoryEnabled"
DREAM_SETTING = "autoDreamEnabled"

# The index (CC-F1, CC-L1, CC-L2)
INDEX_NAME = "MEMORY.md"
INDEX_LINES = 200
INDEX_BYTES = 25_000
REWRITE_LINES = 140
"""To how many lines an index that is over its limits should be rewritten."""
LINE_TARGET = 150
LINE_MOST = 200
"""Characters of an index line: aimed at, and called too long."""

# Topic files (CC-F2)
TYPES = ("user", "feedback", "project", "reference")

# Scan and selection (CC-S1 … CC-S3)
HEAD_LINES = 30
HEAD_BYTES = 64 * 1024
SCAN_DEPTH = 3
SCAN_FILES = 200
SCAN_WORKERS = 8
SELECTED = 5
SELECTOR_TOKENS = 256

# Extraction (CC-E2)
EXTRACT_TURNS = 5

# Consolidation (CC-D1, CC-D2)
DREAM_HOURS = 24
DREAM_THROTTLE_MINUTES = 10
DREAM_SESSIONS = 5
LOCK_NAME = ".consolidate-lock"
LOCK_STALE_HOURS = 1

# CLAUDE.md (HK-14)
INSTRUCTIONS = "CLAUDE.md"
IMPORT_DEPTH = 4

# Hooks (HK-2, HK-6)
HOOK_CHARACTERS = 10_000
HOOK_OWN_CHARACTERS = 9_000
"""What the host takes of one string, and what we give at most."""
SESSION_END_SECONDS = 1.5
HOOK_SECONDS = MappingProxyType({"UserPromptSubmit": 30, "default": 600})
