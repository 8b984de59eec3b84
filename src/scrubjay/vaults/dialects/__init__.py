"""Formats and places of other programs' memories, a package a program: read as they are met, written as they are kept.

What belongs here knows one program and nothing of ours above ``vaults``.
"""
