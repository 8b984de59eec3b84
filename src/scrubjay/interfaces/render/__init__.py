"""What was found, for its readers: ``objects`` for programs, ``lines`` and ``health`` for people.

``plain`` makes text safe to show.
"""
