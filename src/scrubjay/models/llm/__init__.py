"""Language models, optional: extractor, summariser and judge behind ``ports``, over pydantic-ai (extra ``llm``).

``choice`` says which model, ``asking`` asks it, ``attempts`` makes each request, ``ledger`` counts them, ``holds``
remembers when to leave a server alone. Importing these loads nothing heavy; without configuration nobody is asked.
"""
