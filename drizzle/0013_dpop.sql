ALTER TABLE "clients" ADD COLUMN "dpop_bound_access_tokens" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "dpop_jkt" text;--> statement-breakpoint
ALTER TABLE "interactions" ADD COLUMN "dpop_jkt" text;