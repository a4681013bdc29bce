CREATE TABLE "pushed_requests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"handle_hash" "bytea" NOT NULL,
	"sealed" text NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	CONSTRAINT "pushed_requests_state" CHECK ("pushed_requests"."state" in ('pushed', 'used')),
	CONSTRAINT "pushed_requests_used_is_empty" CHECK (("pushed_requests"."state" = 'used') = ("pushed_requests"."sealed" = ''))
);
--> statement-breakpoint
ALTER TABLE "pushed_requests" ADD CONSTRAINT "pushed_requests_client_id_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pushed_requests_client_id" ON "pushed_requests" USING btree ("client_id","ends_at");--> statement-breakpoint
CREATE INDEX "pushed_requests_ends_at" ON "pushed_requests" USING btree ("ends_at");