"""Recall: from a question to ranked, dated, cited evidence inside a token budget (design §5).

``search`` runs the pipeline: ``candidates`` gathers rows from every store, ``features`` and ``fusion`` turn them into
probabilities, ``ordering`` applies decay and drops duplicates, ``packing`` writes what an agent reads.
"""
