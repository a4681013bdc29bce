-- A session may await a second factor: the view says so, as src/model/session.ts does.
CREATE OR REPLACE VIEW "session_states" AS
SELECT
  b."sid", b."subject_id", b."signed_in_at", b."last_used_at", b."ends_at", b."user_agent",
  CASE
    WHEN b."state" = 'ended' OR u."epoch" <> b."subject_epoch" OR u."disabled_at" IS NOT NULL OR s."epoch" <> b."server_epoch"
    THEN 'ended' ELSE b."state"
  END AS "state",
  CASE
    WHEN b."state" = 'ended' THEN b."ended_reason"
    WHEN u."epoch" <> b."subject_epoch" OR u."disabled_at" IS NOT NULL THEN 'user_ended'
    WHEN s."epoch" <> b."server_epoch" THEN 'server_epoch_raised'
  END AS "reason"
FROM "sessions" b
JOIN "users" u ON u."id" = b."subject_id"
CROSS JOIN "server" s;
