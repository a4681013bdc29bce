ALTER TABLE "sessions" ADD COLUMN "last_used_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "state" text DEFAULT 'active' NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "ended_reason" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "user_agent" text;--> statement-breakpoint
ALTER TABLE "transitions" ADD COLUMN "session_id" uuid;--> statement-breakpoint
CREATE INDEX "sessions_subject_id" ON "sessions" USING btree ("subject_id");--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_state" CHECK ("sessions"."state" in ('active', 'ended'));--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_ended_has_reason" CHECK (("sessions"."state" = 'ended') = ("sessions"."ended_reason" is not null));--> statement-breakpoint
CREATE OR REPLACE VIEW "grant_states" AS
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
    WHEN u."epoch" <> g."subject_epoch" OR u."disabled_at" IS NOT NULL THEN 'user_ended'
    WHEN s."epoch" <> g."server_epoch" THEN 'server_epoch_raised'
  END AS "reason",
  g."revoked_at", g."code_ends_at", g."refresh_generation", g."last_used_at", g."chain_ends_at"
FROM "grants" g
JOIN "clients" c ON c."client_id" = g."client_id"
JOIN "users" u ON u."id" = g."subject_id"
CROSS JOIN "server" s;--> statement-breakpoint
CREATE VIEW "session_states" AS
SELECT
  b."sid", b."subject_id", b."signed_in_at", b."last_used_at", b."ends_at", b."user_agent",
  CASE
    WHEN b."state" = 'ended' OR u."epoch" <> b."subject_epoch" OR u."disabled_at" IS NOT NULL OR s."epoch" <> b."server_epoch"
    THEN 'ended' ELSE 'active'
  END AS "state",
  CASE
    WHEN b."state" = 'ended' THEN b."ended_reason"
    WHEN u."epoch" <> b."subject_epoch" OR u."disabled_at" IS NOT NULL THEN 'user_ended'
    WHEN s."epoch" <> b."server_epoch" THEN 'server_epoch_raised'
  END AS "reason"
FROM "sessions" b
JOIN "users" u ON u."id" = b."subject_id"
CROSS JOIN "server" s;
