ALTER TABLE "transitions" ADD COLUMN "recorded_on" integer;--> statement-breakpoint
ALTER TABLE "webhook_receivers" ADD COLUMN "nodes" jsonb;