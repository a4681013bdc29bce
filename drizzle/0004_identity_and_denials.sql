CREATE TABLE "denied_access_tokens" (
	"jti" text PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "transitions" ALTER COLUMN "client_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "post_logout_redirect_uris" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "id_token_signed_response_alg" text DEFAULT 'RS256' NOT NULL;--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "identity" jsonb;--> statement-breakpoint
ALTER TABLE "interactions" ADD COLUMN "nonce" text;--> statement-breakpoint
ALTER TABLE "interactions" ADD COLUMN "prompt" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "interactions" ADD COLUMN "max_age_seconds" integer;--> statement-breakpoint
ALTER TABLE "interactions" ADD COLUMN "hinted_subject_id" text;--> statement-breakpoint
ALTER TABLE "interactions" ADD COLUMN "login_hint" text;--> statement-breakpoint
ALTER TABLE "interactions" ADD COLUMN "response_mode" text DEFAULT 'query' NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "sid" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "transitions" ADD COLUMN "signing_key_id" text;--> statement-breakpoint
CREATE INDEX "denied_access_tokens_ends_at" ON "denied_access_tokens" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "grants_subject_id" ON "grants" USING btree ("subject_id");