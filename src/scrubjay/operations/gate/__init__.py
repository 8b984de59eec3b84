"""The gate: whatever would change a memory that others read waits until somebody decides (design §2.5).

``inbox`` keeps proposals as documents, ``applying`` carries decisions out in one operation, ``steps`` holds what each
action does to a memory, ``guards`` what must hold before, ``known`` what the vault says already, ``merging`` which
parts go into one memory; ``preview`` shows all that beforehand.
"""
