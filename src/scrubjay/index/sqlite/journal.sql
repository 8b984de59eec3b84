-- name: count
-- Adds to a counter.
INSERT INTO counters (name, value) VALUES (:name, :add)
ON CONFLICT (name) DO UPDATE SET value = value + excluded.value;

-- name: counters
-- All counters.
SELECT name, value FROM counters ORDER BY name;

-- name: mark
-- Something noted for the next time.
SELECT value FROM marks WHERE name = :name;

-- name: set mark
-- Notes it anew.
INSERT INTO marks (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: log
-- An operation that can be undone; logging it again changes it.
INSERT INTO operations (id, verb, at, summary, changes, undone)
VALUES (:id, :verb, :at, :summary, :changes, :undone)
ON CONFLICT (id) DO UPDATE SET verb = excluded.verb, at = excluded.at, summary = excluded.summary,
    changes = excluded.changes, undone = excluded.undone;

-- name: operations
-- The newest operations.
SELECT id, verb, at, summary, changes, undone FROM operations ORDER BY number DESC LIMIT :limit;

-- name: undone
-- Marks an operation as undone.
UPDATE operations SET undone = 1 WHERE id = :id RETURNING id;
