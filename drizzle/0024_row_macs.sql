ALTER TABLE "email_challenges" ADD COLUMN "mac" "bytea";--> statement-breakpoint
ALTER TABLE "external_sign_ins" ADD COLUMN "mac" "bytea";--> statement-breakpoint
ALTER TABLE "linked_identities" ADD COLUMN "mac" "bytea";--> statement-breakpoint
ALTER TABLE "passkeys" ADD COLUMN "mac" "bytea";--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "mac" "bytea";--> statement-breakpoint
ALTER TABLE "signing_keys" ADD COLUMN "mac" "bytea";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "mac" "bytea";