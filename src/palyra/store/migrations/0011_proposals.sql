-- What waits for a person, or waited: one queue, however it came there. The two tables stay, because their events do.
ALTER TABLE memory_candidates ADD COLUMN batch TEXT;
ALTER TABLE learning_candidates ADD COLUMN batch TEXT;
CREATE INDEX memory_candidates_by_batch ON memory_candidates (batch) WHERE batch IS NOT NULL;
CREATE INDEX learning_candidates_by_batch ON learning_candidates (batch) WHERE batch IS NOT NULL;

CREATE VIEW proposals AS
    SELECT candidate_id AS proposal_id, seq, principal, channel, session_id, 'held' AS queue,
        item ->> 'category' AS kind, text,
        CASE state WHEN 'needs_review' THEN 'waiting' ELSE state END AS stage, state, because,
        coalesce(item ->> 'confidence_bps', 0) AS confidence_bps, coalesce(item ->> 'trust', 0) AS trust,
        item ->> 'source' AS source, coalesce(item -> 'risks', '[]') AS risks,
        coalesce(item -> 'provenance', '[]') AS provenance, held_at_ms AS at_ms, memory_id, '' AS document, batch,
        0 AS snoozed_until_ms
    FROM memory_candidates
    UNION ALL
    SELECT candidate_id, seq, principal, channel, NULL, 'learned', kind, text,
        CASE WHEN state IN ('approved', 'applied', 'auto_applied') THEN 'approved'
            WHEN state IN ('rejected', 'rolled_back') THEN 'rejected' ELSE 'waiting' END, state, because,
        confidence_bps, trust, 'durable_fact', risks,
        (SELECT json_group_array(span.value ->> 'event_id') FROM json_each(evidence) span), proposed_at_ms, memory_id,
        document, batch, coalesce(snoozed_until_ms, 0)
    FROM learning_candidates;
