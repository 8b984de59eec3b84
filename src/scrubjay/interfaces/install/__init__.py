"""Installing Scrubjay into the agents that people use, and taking it out again.

``plans`` says what would change, ``carrying`` does it and keeps a record, ``removing`` restores what was there,
``delivery`` proves that it works. What a host's files look like is in ``hosts``, and nowhere else.
"""
