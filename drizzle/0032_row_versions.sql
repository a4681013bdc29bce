CREATE TABLE "ended_rows" (
	"relation" text NOT NULL,
	"key" text NOT NULL,
	"forget_at" timestamp with time zone,
	CONSTRAINT "ended_rows_relation_key_pk" PRIMARY KEY("relation","key")
);
--> statement-breakpoint
DROP INDEX "sessions_sid";--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "mac" "bytea";--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "mac_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "token_mac" "bytea";--> statement-breakpoint
ALTER TABLE "consents" ADD COLUMN "id" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "consents" ADD COLUMN "mac" "bytea";--> statement-breakpoint
ALTER TABLE "consents" ADD COLUMN "mac_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "email_challenges" ADD COLUMN "mac_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "external_sign_ins" ADD COLUMN "mac_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "linked_identities" ADD COLUMN "mac_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "passkeys" ADD COLUMN "mac_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "mac_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "signing_keys" ADD COLUMN "mac_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "mac_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "ended_rows_forget_at" ON "ended_rows" USING btree ("forget_at");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_sid" ON "sessions" USING btree ("sid");