"""The Model Context Protocol: an agent's tools over a memory (spec §3, MX-1 … MX-10).

``tools`` says what they are, ``arguments`` checks what an agent sends, ``calls`` answers, ``answers`` words the
answers, ``deciding`` asks people, ``documents`` offers resources, ``server`` puts them behind the official SDK, and
``stdio`` and ``http`` carry it. ``keeper`` opens the one memory of the process behind the handshake.
"""
