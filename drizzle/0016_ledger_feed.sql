CREATE SEQUENCE "public"."transitions_position" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 32;--> statement-breakpoint
-- First with a constant, which Postgres keeps beside the table: lines from before are not rewritten, and stand in position 0.
ALTER TABLE "transitions" ADD COLUMN "recorded_in" "xid8" DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "transitions" ALTER COLUMN "recorded_in" SET DEFAULT pg_current_xact_id();--> statement-breakpoint
ALTER TABLE "transitions" ADD COLUMN "position" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "transitions" ALTER COLUMN "position" SET DEFAULT nextval('transitions_position');--> statement-breakpoint
CREATE INDEX "transitions_order" ON "transitions" USING btree ("recorded_in","position","at");--> statement-breakpoint
CREATE INDEX "transitions_about" ON "transitions" USING btree (coalesce("session_id", "subject_id")) WHERE coalesce("transitions"."session_id", "transitions"."subject_id") is not null;
