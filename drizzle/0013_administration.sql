ALTER TABLE "transitions" ADD COLUMN "subject_id" uuid;--> statement-breakpoint
ALTER TABLE "transitions" ADD COLUMN "actor" text;--> statement-breakpoint
ALTER TABLE "transitions" ADD COLUMN "address_hash" text;--> statement-breakpoint
ALTER TABLE "transitions" ADD COLUMN "fields" text[];--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "deleted_at" timestamp with time zone;