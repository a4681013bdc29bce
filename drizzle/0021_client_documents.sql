CREATE TABLE "client_documents" (
	"client_id" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"fetched_at" timestamp with time zone NOT NULL,
	"fresh_until" timestamp with time zone NOT NULL,
	"failed_at" timestamp with time zone,
	"problem" text,
	CONSTRAINT "client_documents_state" CHECK ("client_documents"."state" in ('known', 'stale', 'refused')),
	CONSTRAINT "client_documents_failed" CHECK (("client_documents"."state" = 'known') = ("client_documents"."failed_at" is null) and ("client_documents"."failed_at" is null) = ("client_documents"."problem" is null))
);
--> statement-breakpoint
ALTER TABLE "client_documents" ADD CONSTRAINT "client_documents_client_id_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "client_documents_fetched_at" ON "client_documents" USING btree ("fetched_at");