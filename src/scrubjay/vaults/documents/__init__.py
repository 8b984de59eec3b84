"""How the documents of a vault are written and read: one module a kind, pure functions between text and types.

What belongs here knows a format and nothing else: no disk, no index. Foreign layouts are dialects, not kinds.
"""
