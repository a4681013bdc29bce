CREATE TABLE "idempotency_keys" (
	"name_hash" "bytea" PRIMARY KEY NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"root_key_id" text NOT NULL,
	"salt" "bytea" NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "nodes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"version" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"seen_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "idempotency_keys_ends_at" ON "idempotency_keys" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "grants_revoked_at" ON "grants" USING btree ("revoked_at") WHERE "grants"."state" = 'revoked';