"""The gate: whatever would change a memory that others read waits until somebody decides (design §2.5).

``inbox`` keeps proposals as documents, ``applying`` carries decisions out in one operation, ``changes`` holds what each
action does to a memory.
"""
