-- name: enqueue
-- New work; while it runs, a note to run it again; a dead one is revived, a waiting one stays as it is.
INSERT INTO jobs (kind, key, payload, state, due) VALUES (:kind, :key, :payload, 'waiting', :now)
ON CONFLICT (kind, key) DO UPDATE SET
    again = iif(state = 'running', excluded.payload, again),
    payload = iif(state = 'dead', excluded.payload, payload),
    attempts = iif(state = 'dead', 0, attempts),
    error = iif(state = 'dead', '', error),
    due = iif(state = 'dead', excluded.due, due),
    state = iif(state = 'dead', 'waiting', state);

-- name: bury
-- Work whose last worker vanished without a word and that has been tried often enough.
UPDATE jobs SET state = 'dead', token = '', error = 'The worker vanished ' || attempts || ' times.'
WHERE kind = :kind AND state = 'running' AND due <= :now AND attempts >= :most;

-- name: claim
-- Takes the work that is due longest, or whose lease has run out.
UPDATE jobs SET state = 'running', attempts = attempts + 1, token = :token, due = :lease_ends
WHERE id = (SELECT id FROM jobs WHERE kind = :kind AND state <> 'dead' AND due <= :now ORDER BY due, id LIMIT 1)
RETURNING id, kind, key, attempts, token, payload, state, error;

-- name: due
-- Whether anything can be claimed.
SELECT EXISTS (SELECT 1 FROM jobs WHERE kind = :kind AND state <> 'dead' AND due <= :now);

-- name: renew
-- A longer lease.
UPDATE jobs SET due = :lease_ends WHERE id = :id AND token = :token AND state = 'running' RETURNING id;

-- name: again
-- Finished, but asked for once more meanwhile.
UPDATE jobs SET state = 'waiting', attempts = 0, token = '', error = '', payload = again, again = NULL, due = :now
WHERE id = :id AND token = :token AND state = 'running' AND again IS NOT NULL RETURNING id;

-- name: finish
-- Done.
DELETE FROM jobs WHERE id = :id AND token = :token AND state = 'running' RETURNING id;

-- name: fail
-- Waits for its next attempt, or is dead.
UPDATE jobs SET state = iif(:dead, 'dead', 'waiting'), token = '', error = :error, due = :due
WHERE id = :id AND token = :token AND state = 'running';

-- name: release
-- Back in the queue, as if never claimed.
UPDATE jobs SET state = 'waiting', attempts = attempts - 1, token = '', due = :now
WHERE id = :id AND token = :token AND state = 'running';

-- name: all
-- Everything that waits, runs or is dead.
SELECT id, kind, key, attempts, token, payload, state, error FROM jobs ORDER BY id;

-- name: rename
-- Work follows a renamed document, unless the new path has its own.
UPDATE OR IGNORE jobs SET key = :target WHERE key = :source;

-- name: forget
-- Work for something that is gone.
DELETE FROM jobs WHERE key = :key;
