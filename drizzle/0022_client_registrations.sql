CREATE TABLE "client_registrations" (
	"client_id" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"unused_until" timestamp with time zone NOT NULL,
	"mac" "bytea",
	"mac_version" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "client_registrations_state" CHECK ("client_registrations"."state" in ('unused', 'used', 'ended'))
);
--> statement-breakpoint
ALTER TABLE "client_registrations" ADD CONSTRAINT "client_registrations_client_id_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "client_registrations_unused_until" ON "client_registrations" USING btree ("unused_until");