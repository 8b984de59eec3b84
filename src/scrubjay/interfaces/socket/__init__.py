"""A memory that stays warm, behind a Unix socket that only its owner can reach (HK-16, SEC-4, F64).

``server`` is ``scrubjay serve --socket``; ``client`` asks it and is light enough for a hook; ``wire`` is what they say
to each other: a greeting, then a request and an answer a line, each one JSON object.
"""
