-- name: schema
-- Everything derived from the vault. Each table that follows records is kept by triggers, so that no path of the
-- code can leave a row without its lexemes, or lexemes without their row (F35, F36, F39).
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL,          -- '' when the document has to be read again
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL           -- the document's own id
);
CREATE INDEX documents_by_hash ON documents (hash);
CREATE INDEX documents_by_name ON documents (name) WHERE name <> '';

CREATE TABLE problems (document INTEGER NOT NULL, line INTEGER NOT NULL, message TEXT NOT NULL);
CREATE INDEX problems_by_document ON problems (document);

-- A record id that two places claim: the last one is indexed, the other waits here to be read again.
CREATE TABLE displaced (id TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (id, document)) WITHOUT ROWID;

CREATE TABLE threads (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

-- Times are microseconds since 1970 UTC. Short columns come first, so that filters and ranking read little of a row.
CREATE TABLE records (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    layer TEXT NOT NULL,
    thread INTEGER,              -- NULL: alone in its own
    seq INTEGER NOT NULL,
    at INTEGER,
    valid_start INTEGER,
    valid_end INTEGER,
    recorded_start INTEGER,
    recorded_end INTEGER,
    superseded_from INTEGER,
    retracted INTEGER NOT NULL,
    low_trust INTEGER NOT NULL,
    length INTEGER NOT NULL,     -- lexemes of head and body
    hash BLOB NOT NULL,          -- of the passage, or of the text where there is none
    category TEXT NOT NULL,
    category_key TEXT,           -- case folded; NULL: none
    speaker TEXT NOT NULL,
    head TEXT NOT NULL,
    body TEXT NOT NULL,
    document INTEGER NOT NULL,
    position INTEGER NOT NULL,   -- among the records of its document
    id TEXT NOT NULL UNIQUE,
    passage TEXT,                -- folded against text; NULL: stays lexical
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    role TEXT NOT NULL,
    message_ids TEXT NOT NULL,
    title TEXT NOT NULL,
    headings TEXT NOT NULL,
    topic TEXT NOT NULL,
    tags TEXT NOT NULL,
    supersedes TEXT,
    superseded_by TEXT,
    subject TEXT,
    subject_key TEXT,            -- case folded
    predicate TEXT,
    object TEXT,
    confidence REAL NOT NULL,
    native_type TEXT NOT NULL,
    scope TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX records_by_document ON records (document, position);
CREATE INDEX records_by_thread ON records (thread, seq) WHERE thread IS NOT NULL;
CREATE INDEX records_by_layer ON records (layer) WHERE layer <> 'chunks';
CREATE INDEX records_by_time ON records (at) WHERE at IS NOT NULL;
CREATE INDEX records_by_category ON records (category_key) WHERE category_key IS NOT NULL;
CREATE INDEX records_by_subject ON records (subject_key) WHERE subject_key IS NOT NULL;
CREATE INDEX records_by_superseded ON records (supersedes) WHERE supersedes IS NOT NULL;

CREATE TABLE tags (key INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (key, tag)) WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (tag);

-- Lexemes come ready from text.analyze: the tokenizer only splits at blanks, every ASCII sign belongs to a word (F78).
CREATE VIRTUAL TABLE lexemes USING fts5(
    head, body, content = 'records', content_rowid = 'key',
    tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);
INSERT INTO lexemes (lexemes, rank) VALUES ('rank', 'bm25(2.0, 1.0)');
INSERT INTO lexemes (lexemes, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(lexemes, row);

CREATE TABLE totals (records INTEGER NOT NULL, lexemes INTEGER NOT NULL, embeddable INTEGER NOT NULL);
INSERT INTO totals VALUES (0, 0, 0);

CREATE TABLE models (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL,
    vectors INTEGER NOT NULL DEFAULT 0
);
-- A new vector always gets a new stamp: caches read what is past the last one they saw, and pages fill up in order.
CREATE TABLE vectors (
    stamp INTEGER PRIMARY KEY AUTOINCREMENT, key INTEGER NOT NULL UNIQUE, model INTEGER NOT NULL, vector BLOB NOT NULL
);
CREATE INDEX vectors_by_model ON vectors (model, key);
CREATE TABLE tokens (stamp INTEGER PRIMARY KEY, tokens BLOB NOT NULL);
CREATE TABLE waiting (key INTEGER PRIMARY KEY, at INTEGER);
CREATE INDEX waiting_by_age ON waiting (at DESC, key DESC);

-- Vectors carried over from an older generation, until the record with the same passage is put (F46).
CREATE TABLE spare (
    hash BLOB NOT NULL, model INTEGER NOT NULL, vector BLOB NOT NULL, tokens BLOB, PRIMARY KEY (hash)
);

CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    token TEXT NOT NULL DEFAULT '',
    error TEXT NOT NULL DEFAULT '',
    due INTEGER NOT NULL,        -- waiting: not before; running: the lease ends
    again TEXT,                  -- the payload of a request that came while it was running
    UNIQUE (kind, key)
);
CREATE INDEX jobs_by_due ON jobs (kind, due) WHERE state <> 'dead';

CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE marks (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE operations (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    verb TEXT NOT NULL,
    at INTEGER NOT NULL,
    summary TEXT NOT NULL,
    changes TEXT NOT NULL,
    undone INTEGER NOT NULL
);

CREATE TRIGGER record_added AFTER INSERT ON records BEGIN
    INSERT INTO lexemes (rowid, head, body) VALUES (new.key, new.head, new.body);
    UPDATE totals SET records = records + 1, lexemes = lexemes + new.length,
        embeddable = embeddable + (new.passage IS NOT NULL);
    INSERT INTO waiting SELECT new.key, new.at WHERE new.passage IS NOT NULL;
END;
CREATE TRIGGER record_reworded AFTER UPDATE OF head, body, length ON records
WHEN old.head <> new.head OR old.body <> new.body BEGIN
    INSERT INTO lexemes (lexemes, rowid, head, body) VALUES ('delete', old.key, old.head, old.body);
    INSERT INTO lexemes (rowid, head, body) VALUES (new.key, new.head, new.body);
    UPDATE totals SET lexemes = lexemes + new.length - old.length;
END;
CREATE TRIGGER record_redated AFTER UPDATE OF at ON records WHEN old.at IS NOT new.at BEGIN
    UPDATE waiting SET at = new.at WHERE key = new.key;
END;
CREATE TRIGGER record_removed AFTER DELETE ON records BEGIN
    INSERT INTO lexemes (lexemes, rowid, head, body) VALUES ('delete', old.key, old.head, old.body);
    UPDATE totals SET records = records - 1, lexemes = lexemes - old.length,
        embeddable = embeddable - (old.passage IS NOT NULL);
    DELETE FROM waiting WHERE key = old.key;
    DELETE FROM vectors WHERE key = old.key;
    DELETE FROM tags WHERE key = old.key;
    DELETE FROM spare WHERE hash = old.hash;
    DELETE FROM threads WHERE id = old.thread AND NOT EXISTS (SELECT 1 FROM records WHERE thread = old.thread);
END;
CREATE TRIGGER record_rethreaded AFTER UPDATE OF thread ON records WHEN old.thread IS NOT new.thread BEGIN
    DELETE FROM threads WHERE id = old.thread AND NOT EXISTS (SELECT 1 FROM records WHERE thread = old.thread);
END;
CREATE TRIGGER vector_added AFTER INSERT ON vectors BEGIN
    UPDATE models SET vectors = vectors + 1 WHERE id = new.model;
    DELETE FROM waiting WHERE key = new.key;
END;
CREATE TRIGGER vector_removed AFTER DELETE ON vectors BEGIN
    UPDATE models SET vectors = vectors - 1 WHERE id = old.model;
    DELETE FROM tokens WHERE stamp = old.stamp;
END;

-- A record with its document's path and its thread's name: what columns.decode reads.
CREATE VIEW described AS
SELECT records.key, records.id, records.layer, documents.path, records.text, records.start, records."end",
    records.line, records.last_line, records.title, records.headings, records.topic, records.tags, records.category,
    coalesce(threads.name, '') AS thread, records.seq, records.role, records.speaker, records.message_ids, records.at,
    records.valid_start, records.valid_end, records.recorded_start, records.recorded_end, records.superseded_from,
    records.supersedes, records.superseded_by, records.retracted, records.subject, records.predicate, records.object,
    records.confidence, records.low_trust, records.native_type, records.scope,
    records.document, records.position
FROM records
JOIN documents ON documents.id = records.document
LEFT JOIN threads ON threads.id = records.thread;

-- name: first key
-- Keys of different generations never meet, so that a key read before a swap names nothing after it (F34).
INSERT INTO sqlite_sequence (name, seq) VALUES ('records', :base);

-- name: remember
-- Stores a fact about the index itself.
INSERT INTO meta (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: meta
-- A fact about the index itself.
SELECT value FROM meta WHERE name = :name;
