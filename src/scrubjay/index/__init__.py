"""Derived and disposable: what makes a vault searchable. Deleting an index loses nothing (design §2.1)."""
