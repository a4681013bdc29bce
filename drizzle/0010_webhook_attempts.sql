CREATE TABLE "webhook_attempts" (
	"delivery_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"outcome" text NOT NULL,
	"status" integer,
	"milliseconds" integer NOT NULL,
	CONSTRAINT "webhook_attempts_delivery_id_at_event_id_pk" PRIMARY KEY("delivery_id","at","event_id")
);
--> statement-breakpoint
ALTER TABLE "webhook_receivers" ADD COLUMN "paused_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "webhook_attempts_at" ON "webhook_attempts" USING btree ("at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_abandoned" ON "webhook_deliveries" USING btree ("receiver","created_at","id") WHERE "webhook_deliveries"."state" = 'abandoned';