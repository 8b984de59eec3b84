-- name: spare
-- Vectors of an older generation by the hash of their passage.
INSERT INTO models (id, name, dimensions) SELECT id, name, dimensions FROM old.models;
INSERT OR IGNORE INTO spare (hash, model, vector, tokens)
SELECT records.hash, vectors.model, vectors.vector, tokens.tokens
FROM old.vectors AS vectors
JOIN old.records AS records ON records.key = vectors.key
LEFT JOIN old.tokens AS tokens ON tokens.stamp = vectors.stamp;
INSERT OR IGNORE INTO spare (hash, model, vector, tokens) SELECT hash, model, vector, tokens FROM old.spare;

-- name: drop spare
-- Nothing claims these any more.
DELETE FROM spare;

-- name: read jobs
-- Waiting work of an older generation.
SELECT kind, key, payload, state, attempts, token, error, due, again FROM jobs ORDER BY id;

-- name: write jobs
-- The same in the new one.
INSERT OR IGNORE INTO jobs (kind, key, payload, state, attempts, token, error, due, again)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: read counters
-- Counters of an older generation.
SELECT name, value FROM counters;

-- name: write counters
-- Added to those of the new one.
INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value;

-- name: read operations
-- The journal of an older generation.
SELECT id, verb, at, summary, changes, undone FROM operations ORDER BY number;

-- name: write operations
-- The same in the new one.
INSERT OR IGNORE INTO operations (id, verb, at, summary, changes, undone) VALUES (?, ?, ?, ?, ?, ?);

-- name: optimise
-- One segment instead of many.
INSERT INTO lexemes (lexemes) VALUES ('optimize');
