"""Paths that somebody hostile may give to any door (CC-T1, SEC-1, F112)."""

from __future__ import annotations

CLIMBING = (
    "..",
    "../x.md",
    "a/../../x.md",
    "a/../b.md",
    "./../x.md",
    "...",
    ".. /x.md",
    "%2e%2e/x.md",
    "%2E%2e/x.md",
    "a/%2e%2e%2fx.md",
    "..%2fx.md",
    "%252e%252e/x.md",
    "‥/x.md",
    "．．/x.md",
    "․․/x.md",
    "a／..／x.md",
    "a/.\u200b./x.md",
    "a/\u2060../x.md",
)
ABSOLUTE = ("/etc/x.md", "//server/share/x.md", "／etc/x.md", "%2fetc/x.md", "C:/x.md", "c:x.md", "Ｃ:/x.md")
BACKSLASH = ("a\\b.md", "..\\x.md", "\\\\server\\x.md", "a＼b.md", "a%5cb.md", "C:\\x.md")
CONTROL = ("a\x00b.md", "a\nb.md", "a\x1bb.md", "a\u2028b.md", "a\u202eb.md", "a\x7fb.md", "\ud800.md")
GIT = (".git/hooks/x.md", ".GIT/x.md", "git~1/x.md", ".g\u200bit/x.md", "a/.git/config.md", ".git./x.md")
HIDDEN = (".hidden/x.md", ".obsidian/x.md", ".claude/agents/x.md", "a/.x.md", ".scrubjay-1.tmp.md")
WINDOWS = ("con.md", "a/NUL.md", "aux/x.md", "com1.md", "lpt9.txt.md", "trailing./x.md", "space /x.md")
TOO_LONG = ("x" * 300 + ".md", "a/" * 2000 + "x.md", "/".join("d" * 12) + "/x.md")
PRIVATE = (
    "00-Inbox/x.md",
    "20-Indices/index.md",
    "30-Templates/x.md",
    "50-Episodes/2026/01/x.md",
    "60-Logs/x.md",
    "90-Trash/op/receipt.md",
)
"""Places in a vault that belong to one person, or to the program."""

OTHER_FILES = ("x.txt", "config.toml", "x.sqlite", "memory-index.json", "CLAUDE.md.bak", "x", "run.sh")
"""Files that are no documents."""

ATTACKS = (*CLIMBING, *ABSOLUTE, *BACKSLASH, *CONTROL, *GIT, *HIDDEN, *WINDOWS, *TOO_LONG)
EVERY = (*ATTACKS, *PRIVATE, *OTHER_FILES)
