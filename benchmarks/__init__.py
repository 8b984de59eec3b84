"""Measurements of Scrubjay: each module is one command that prints one JSON object. Never imported by the package."""
