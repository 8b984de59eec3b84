-- What a hook reads of an index in passing: few rows, only what holds, never what a tool or the web said (SEC-3).

-- name: totals
-- How many records there are, and lexemes in them.
SELECT records, lexemes FROM totals;

-- name: frequencies
-- How many records hold each lexeme.
SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(:terms));

-- name: facts
-- Facts of some categories that hold, the newest first.
SELECT records.id, records.layer, records.category, records.title, records.text,
    coalesce(records.valid_start, records.recorded_start, records.at), records.valid_end, records.line,
    documents.path, documents.size, documents.mtime_ns, records.head, records.body
FROM records JOIN documents ON documents.id = records.document
WHERE records.layer = 'facts' AND records.category_key IN (SELECT value FROM json_each(:categories))
    AND {conditions}
ORDER BY coalesce(records.recorded_start, records.at, 0) DESC, records.key DESC LIMIT :limit;

-- name: notes
-- Notes of knowledge by their first section, the newest first.
SELECT records.id, records.layer, records.category, records.title, records.text,
    records.at, records.valid_end, records.line,
    documents.path, documents.size, documents.mtime_ns, records.head, records.body
FROM records JOIN documents ON documents.id = records.document
WHERE records.layer = 'notes' AND records.position = 0 AND {conditions}
ORDER BY coalesce(records.at, 0) DESC, records.key DESC LIMIT :limit;

-- name: matching
-- What was decided or noted and holds any of the lexemes, best first; what was only said is left to the search tool.
SELECT records.id, records.layer, records.category, records.title, records.text,
    coalesce(records.valid_start, records.recorded_start, records.at), records.valid_end, records.line,
    documents.path, documents.size, documents.mtime_ns, records.head, records.body
FROM (SELECT rowid FROM lexemes WHERE lexemes MATCH :match ORDER BY rank LIMIT :most) AS found
CROSS JOIN records ON records.key = found.rowid
JOIN documents ON documents.id = records.document
WHERE records.layer <> 'chunks' AND {conditions}
LIMIT :limit;
