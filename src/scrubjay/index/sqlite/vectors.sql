-- name: model
-- What is known of a model, and the last stamp of all.
SELECT id, dimensions, vectors, (SELECT max(stamp) FROM vectors) FROM models WHERE name = :name;

-- name: add model
-- A model seen for the first time.
INSERT OR IGNORE INTO models (name, dimensions) VALUES (:name, :dimensions);

-- name: models
-- All models.
SELECT id, name FROM models ORDER BY id;

-- name: forget
-- A new vector takes the place of the old one.
DELETE FROM vectors WHERE key = :key;

-- name: put
-- Stores a vector, unless its record has vanished.
INSERT INTO vectors (key, model, vector)
SELECT key, :model, :vector FROM records WHERE key = :key AND passage IS NOT NULL;

-- name: put tokens
-- Token vectors of a record that has a vector.
INSERT INTO tokens (stamp, tokens) SELECT stamp, :tokens FROM vectors WHERE key = :key;

-- name: waiting
-- Records without any vector, the newest first.
SELECT records.key, records.passage, records.text
FROM (SELECT key FROM waiting ORDER BY at DESC, key DESC LIMIT :limit) AS next
CROSS JOIN records ON records.key = next.key;

-- name: stale
-- Records whose vector is a certain other model's, the last indexed first.
SELECT records.key, records.passage, records.text
FROM (SELECT key FROM vectors WHERE model = :model ORDER BY key DESC LIMIT :limit) AS next
CROSS JOIN records ON records.key = next.key;

-- name: waiting count
-- How many records have no vector at all.
SELECT count(*) FROM waiting;

-- name: stale count
-- How many vectors are other models'.
SELECT coalesce(sum(vectors), 0) FROM models WHERE name <> :name;

-- name: past stamp
-- Vectors of a model that came after a stamp, a page at a time.
SELECT stamp, key, vector FROM vectors WHERE stamp > :stamp AND +model = :model ORDER BY stamp LIMIT :limit;

-- name: of keys
-- Vectors of a model for keys that pass.
SELECT records.key, vectors.vector
FROM carray(:keys) AS wanted
CROSS JOIN vectors ON vectors.key = wanted.value AND vectors.model = :model
CROSS JOIN records ON records.key = wanted.value
WHERE {conditions};
