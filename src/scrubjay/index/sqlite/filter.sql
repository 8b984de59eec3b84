-- Conditions that ports.Filter may ask for; scrubjay.index.sqlite.filters joins those that are needed with AND.

-- name: layers
-- One of the layers asked for.
records.layer IN (SELECT value FROM json_each(:layers))

-- name: not chunks
-- Lets the index of the smaller layers be used.
records.layer <> 'chunks'

-- name: recorded
-- Known at all by then: temporal.standing is not "unknown".
(records.recorded_start > :known_at) IS NOT TRUE

-- name: said
-- What is not a fact exists from the moment it was said.
(records.layer <> 'facts' AND records.at > :as_of) IS NOT TRUE

-- name: current
-- True at that moment: temporal.standing is "current", provided that it is not "unknown".
(records.valid_start > :as_of) IS NOT TRUE
AND (records.valid_end <= :as_of) IS NOT TRUE
AND (records.recorded_end <= :known_at AND (records.retracted OR records.superseded_from <= :as_of)) IS NOT TRUE

-- name: tagged
-- Carries every tag asked for.
records.key IN (
    SELECT key FROM tags WHERE tag IN (SELECT value FROM json_each(:tags)) GROUP BY key HAVING count(*) = :tag_count
)

-- name: category
-- Of one category, in whatever case it is written.
records.category_key = :category

-- name: since
-- Said or written at or after a moment.
records.at >= :since

-- name: until
-- Said or written before a moment.
records.at < :until

-- name: trusted
-- Not from tools or the web.
records.low_trust = 0
