-- name: totals
-- How many records there are, and lexemes in them.
SELECT records, lexemes FROM totals;

-- name: frequencies
-- How many records hold each lexeme.
SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM carray(:terms));

-- name: by rank
-- Records holding any of the lexemes, best first by BM25.
SELECT rowid FROM lexemes WHERE lexemes MATCH :match ORDER BY rank, rowid DESC;

-- name: holding
-- Records holding a lexeme, in no order.
SELECT rowid FROM lexemes WHERE lexemes MATCH :match;

-- name: passing
-- Those of the keys that pass, in their order.
SELECT records.key FROM carray(:keys) AS wanted CROSS JOIN records ON records.key = wanted.value WHERE {conditions};

-- name: everything
-- Keys of all records that pass, up to a limit.
SELECT records.key FROM records WHERE {conditions} LIMIT :limit;

-- name: wording
-- The lexemes of records.
SELECT records.key, records.head, records.body
FROM carray(:keys) AS wanted CROSS JOIN records ON records.key = wanted.value;

-- name: rows
-- What ranking needs to know (the fields of ports.Row), in the order of the keys; vectors of a named model only.
SELECT records.key,
    (SELECT beside.key FROM records AS beside WHERE beside.thread = records.thread AND beside.seq < records.seq
     ORDER BY beside.seq DESC LIMIT 1),
    (SELECT beside.key FROM records AS beside WHERE beside.thread = records.thread AND beside.seq > records.seq
     ORDER BY beside.seq LIMIT 1),
    records.head, records.body, records.speaker, records.text, tokens.tokens, vectors.vector
FROM carray(:keys) AS wanted
CROSS JOIN records ON records.key = wanted.value
LEFT JOIN vectors ON vectors.key = records.key
    AND (:model IS NULL OR vectors.model = (SELECT id FROM models WHERE name = :model))
LEFT JOIN tokens ON tokens.stamp = vectors.stamp;

-- name: described
-- Whole records by key.
SELECT described.* FROM carray(:keys) AS wanted CROSS JOIN described ON described.key = wanted.value;

-- name: by id
-- One record.
SELECT * FROM described WHERE id = :id;

-- name: at path
-- The records of one document, in order.
SELECT * FROM described WHERE path = :path ORDER BY position;

-- name: facts
-- Facts, oldest first.
SELECT described.* FROM records CROSS JOIN described ON described.key = records.key
WHERE records.layer = 'facts' AND {conditions}
ORDER BY coalesce(records.recorded_start, records.valid_start, records.at, 0), records.key;

-- name: facts about
-- Facts with a subject, oldest first.
SELECT described.* FROM records CROSS JOIN described ON described.key = records.key
WHERE records.layer = 'facts' AND records.subject_key = :subject AND {conditions}
ORDER BY coalesce(records.recorded_start, records.valid_start, records.at, 0), records.key;

-- name: successor
-- What superseded a fact, by its own word or its successor's.
SELECT coalesce(
    (SELECT superseded_by FROM records WHERE id = :id),
    (SELECT id FROM records WHERE supersedes = :id ORDER BY coalesce(recorded_start, at, 0) DESC, key DESC LIMIT 1)
);
