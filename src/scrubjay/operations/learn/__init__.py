"""Learning: a source is cut into segments, each is matched with what the vault knows, and a plan says what to do.

``request`` tells what was meant, ``files`` and ``tasks`` find what to read, ``mapping`` cuts it (the content map),
``matching`` and ``differences`` compare it with the vault, ``planning`` proposes, ``neighbours`` compares the proposals
with each other. Nothing in here writes: ``gate`` does, once somebody has decided.
"""
