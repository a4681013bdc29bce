-- What the schema language of the migrations cannot say: partitions, triggers, views, storage parameters.

INSERT INTO "server" ("id", "epoch") VALUES (1, 0);
--> statement-breakpoint
-- Rotations rewrite one row again and again: leave room on the page, so that no index is touched (HOT).
ALTER TABLE "grants" SET (fillfactor = 70);
--> statement-breakpoint
-- A month that nobody made a partition for must not stop a revocation.
CREATE TABLE "transitions_default" PARTITION OF "transitions" DEFAULT;
--> statement-breakpoint
CREATE FUNCTION "transitions_are_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only: % on % is refused', TG_OP, TG_TABLE_NAME;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "transitions_append_only" BEFORE UPDATE OR DELETE ON "transitions"
  FOR EACH ROW EXECUTE FUNCTION "transitions_are_append_only"();
--> statement-breakpoint
-- The derived states, for people. The server derives them in src/engine/derive.ts; test/storage compares the two.
CREATE VIEW "grant_states" AS
SELECT
  g."id" AS "grant_id", g."client_id", g."subject_id", g."scope", g."resources", g."created_at",
  CASE
    WHEN g."state" = 'revoked' OR c."epoch" <> g."client_epoch" OR c."deleted_at" IS NOT NULL
      OR u."epoch" <> g."subject_epoch" OR u."disabled_at" IS NOT NULL OR s."epoch" <> g."server_epoch"
    THEN 'revoked' ELSE 'active'
  END AS "state",
  CASE
    WHEN g."state" = 'revoked' THEN g."revoked_reason"
    WHEN c."epoch" <> g."client_epoch" OR c."deleted_at" IS NOT NULL THEN 'client_ended'
    WHEN u."epoch" <> g."subject_epoch" OR u."disabled_at" IS NOT NULL THEN 'subject_ended'
    WHEN s."epoch" <> g."server_epoch" THEN 'server_epoch_raised'
  END AS "reason",
  g."revoked_at", g."code_ends_at", g."refresh_generation", g."last_used_at", g."chain_ends_at"
FROM "grants" g
JOIN "clients" c ON c."client_id" = g."client_id"
JOIN "users" u ON u."id" = g."subject_id"
CROSS JOIN "server" s;
--> statement-breakpoint
CREATE VIEW "authorization_codes" AS
SELECT
  "grant_id", "client_id", "subject_id",
  CASE WHEN "state" = 'revoked' THEN 'revoked' WHEN "refresh_generation" IS NULL THEN 'active' ELSE 'used' END AS "state",
  "reason", "created_at", "code_ends_at"
FROM "grant_states";
--> statement-breakpoint
-- One line per chain: its head. Every older token of an active chain is used.
CREATE VIEW "refresh_token_heads" AS
SELECT "grant_id", "client_id", "subject_id", "state", "reason", "refresh_generation", "last_used_at", "chain_ends_at"
FROM "grant_states" WHERE "refresh_generation" IS NOT NULL;
