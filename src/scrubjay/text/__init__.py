"""Pure functions over strings and bytes: reading, splitting, naming, analysing.

What belongs here takes text and returns values: no file, clock, network, model or database, so that everything gives
the same answer for the same arguments. Moments are passed in, words live in data modules (``stopwords``,
``date_words``), character classes in ``characters``. Whatever needs a port or a vault belongs in ``operations``.
"""
