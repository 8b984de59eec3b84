-- name: coverage
-- How much is indexed, in every layer separately (F13, F42).
SELECT
    (SELECT count(*) FROM documents),
    (SELECT records FROM totals),
    (SELECT count(*) FROM lexemes_docsize),
    (SELECT embeddable FROM totals),
    (SELECT coalesce(sum(vectors), 0) FROM models WHERE :model IS NULL OR name = :model),
    (SELECT coalesce(sum(vectors), 0) FROM models WHERE name <> :model),
    (SELECT count(*) FROM jobs WHERE state = 'dead');

-- name: integrity
-- SQLite's own opinion of its pages.
PRAGMA integrity_check(20);

-- name: word integrity
-- FTS5's own opinion, compared with the records (rank 1).
INSERT INTO lexemes (lexemes, rank) VALUES ('integrity-check', 1);

-- name: inconsistencies
-- One sentence for each kind of row that does not fit the others.
WITH found (number, message) AS (
    SELECT (SELECT count(*) FROM records) - (SELECT count(*) FROM lexemes_docsize),
        'records are not in the text index (a negative number: too many are)'
    UNION ALL
    SELECT (SELECT count(*) FROM records) - (SELECT records FROM totals), 'records are not counted'
    UNION ALL
    SELECT (SELECT coalesce(sum(length), 0) FROM records) - (SELECT lexemes FROM totals), 'lexemes are not counted'
    UNION ALL
    SELECT (SELECT count(passage) FROM records) - (SELECT embeddable FROM totals), 'passages are not counted'
    UNION ALL
    SELECT count(*), 'records belong to no document' FROM records
    WHERE document NOT IN (SELECT id FROM documents)
    UNION ALL
    SELECT count(*), 'records belong to no thread' FROM records
    WHERE thread IS NOT NULL AND thread NOT IN (SELECT id FROM threads)
    UNION ALL
    SELECT count(*), 'vectors belong to no record' FROM vectors WHERE key NOT IN (SELECT key FROM records)
    UNION ALL
    SELECT count(*), 'token vectors belong to no vector' FROM tokens WHERE stamp NOT IN (SELECT stamp FROM vectors)
    UNION ALL
    SELECT count(*), 'tags belong to no record' FROM tags WHERE key NOT IN (SELECT key FROM records)
    UNION ALL
    SELECT count(*), 'records neither have a vector nor wait for one' FROM records
    WHERE passage IS NOT NULL AND key NOT IN (SELECT key FROM vectors) AND key NOT IN (SELECT key FROM waiting)
    UNION ALL
    SELECT count(*), 'vectors are of another size than their model' FROM vectors
    JOIN models ON models.id = vectors.model WHERE length(vector) <> dimensions
    UNION ALL
    SELECT (SELECT count(*) FROM vectors) - (SELECT coalesce(sum(vectors), 0) FROM models), 'vectors are not counted'
)
SELECT number || ' ' || message || '.' FROM found WHERE number <> 0;

-- name: models
-- The models that have vectors.
SELECT name, vectors FROM models WHERE vectors > 0 ORDER BY vectors DESC, name;

-- name: repair
-- Makes the rows fit each other again; what only the vault knows is marked to be read again.
DELETE FROM records WHERE document NOT IN (SELECT id FROM documents);
DELETE FROM vectors WHERE key NOT IN (SELECT key FROM records);
DELETE FROM tokens WHERE stamp NOT IN (SELECT stamp FROM vectors);
DELETE FROM tags WHERE key NOT IN (SELECT key FROM records);
UPDATE documents SET hash = '', size = -1, mtime_ns = -1 WHERE id IN (
    SELECT document FROM records WHERE thread IS NOT NULL AND thread NOT IN (SELECT id FROM threads)
);
DELETE FROM vectors WHERE key IN (
    SELECT key FROM vectors JOIN models ON models.id = vectors.model WHERE length(vector) <> dimensions
);
INSERT INTO lexemes (lexemes) VALUES ('rebuild');
UPDATE totals SET records = (SELECT count(*) FROM records), lexemes = (SELECT coalesce(sum(length), 0) FROM records),
    embeddable = (SELECT count(passage) FROM records);
UPDATE models SET vectors = (SELECT count(*) FROM vectors WHERE vectors.model = models.id);
INSERT OR IGNORE INTO waiting
SELECT key, at FROM records WHERE passage IS NOT NULL AND key NOT IN (SELECT key FROM vectors);
DELETE FROM waiting WHERE key NOT IN (SELECT key FROM records) OR key IN (SELECT key FROM vectors);

-- name: record count
-- Records before and after a repair.
SELECT count(*) FROM records;
