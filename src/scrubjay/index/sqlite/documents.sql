-- name: all
-- Every document.
SELECT path, hash, size, mtime_ns, kind, name FROM documents ORDER BY path;

-- name: one
-- The document at a path.
SELECT path, hash, size, mtime_ns, kind, name FROM documents WHERE path = :path;

-- name: named
-- The document with an id of its own.
SELECT path, hash, size, mtime_ns, kind, name FROM documents WHERE name = :name AND :name <> '' ORDER BY path LIMIT 1;

-- name: with hash
-- Paths of documents with these bytes.
SELECT path FROM documents WHERE hash = :hash AND :hash <> '' ORDER BY path;

-- name: save
-- Notes a document, new or changed; returns its number.
INSERT INTO documents (path, hash, size, mtime_ns, kind, name)
VALUES (:path, :hash, :size, :mtime_ns, :kind, :name)
ON CONFLICT (path) DO UPDATE SET hash = excluded.hash, size = excluded.size, mtime_ns = excluded.mtime_ns,
    kind = excluded.kind, name = excluded.name
RETURNING id;

-- name: touch
-- New size and time of a document that is otherwise as before.
UPDATE documents SET size = :size, mtime_ns = :mtime_ns WHERE path = :path AND hash = :hash RETURNING id;

-- name: number
-- The number of a path.
SELECT id FROM documents WHERE path = :path;

-- name: move
-- A new path for a document.
UPDATE documents SET path = :target WHERE path = :source RETURNING id;

-- name: remove
-- Forgets a document.
DELETE FROM documents WHERE id = :document;

-- name: stored
-- The records of a document as they are stored, without their thread's name.
SELECT key, {columns} FROM records WHERE document = :document;

-- name: holder
-- Which document holds a record id.
SELECT key, document FROM records WHERE id = :id;

-- name: insert
-- A new record.
INSERT INTO records ({columns}) VALUES ({places}) RETURNING key;

-- name: update
-- Changes everything of a record but what its vector was made of.
UPDATE records SET {assignments} WHERE key = ?;

-- name: delete
-- Removes a record; triggers remove what hangs on it.
DELETE FROM records WHERE key = :key;

-- name: thread
-- The number of a thread, made if needed.
INSERT INTO threads (name) VALUES (:name) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id;

-- name: tag
-- Puts a tag on a record.
INSERT OR IGNORE INTO tags (key, tag) VALUES (:key, :tag);

-- name: untag
-- Takes all tags off a record.
DELETE FROM tags WHERE key = :key;

-- name: add problem
-- Something wrong with a document.
INSERT INTO problems (document, line, message) VALUES (:document, :line, :message);

-- name: forget problems
-- A document's problems are told anew each time it is put.
DELETE FROM problems WHERE document = :document;

-- name: problems
-- What is wrong, document by document, and which record ids two places claim.
SELECT path, message, line FROM (
    SELECT documents.path AS path, message, line
    FROM problems JOIN documents ON documents.id = problems.document
    UNION ALL
    SELECT mine.path,
        iif(mine.id = other.id, 'The id ' || displaced.id || ' is used twice; the last one is searched.',
            'The id ' || displaced.id || ' is also used in ' || other.path || ', which is the one that is searched.'),
        0
    FROM displaced
    JOIN documents AS mine ON mine.id = displaced.document
    JOIN records ON records.id = displaced.id
    JOIN documents AS other ON other.id = records.document
) ORDER BY path, line, message;

-- name: displace
-- A record gives way to one with the same id elsewhere.
INSERT OR IGNORE INTO displaced (id, document) VALUES (:id, :document);

-- name: settle
-- What a document claims is decided anew when it is put or dropped.
DELETE FROM displaced WHERE document = :document;

-- name: bring back
-- The id is free again: documents that also claimed it are to be read again.
UPDATE documents SET hash = '', size = -1, mtime_ns = -1
WHERE id IN (SELECT document FROM displaced WHERE id = :id);

-- name: free
-- Nobody waits for this id any more.
DELETE FROM displaced WHERE id = :id;

-- name: claim spare
-- Gives a new record the vector that its passage had in an older generation.
INSERT INTO vectors (key, model, vector) SELECT :key, model, vector FROM spare WHERE hash = :hash;

-- name: claim spare tokens
-- The same for its token vectors.
INSERT INTO tokens (stamp, tokens)
SELECT stamp, tokens FROM vectors JOIN spare ON spare.hash = :hash WHERE key = :key AND tokens IS NOT NULL;

-- name: spare left
-- Whether any carried vector waits to be claimed.
SELECT EXISTS (SELECT 1 FROM spare);
