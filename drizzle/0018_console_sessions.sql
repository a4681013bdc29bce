CREATE TABLE "console_sessions" (
	"id_hash" "bytea" PRIMARY KEY NOT NULL,
	"form_id" uuid NOT NULL,
	"subject_id" uuid NOT NULL,
	"sealed_token" text NOT NULL,
	"renew_at" timestamp with time zone NOT NULL,
	"token_ends_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "console_sessions_token_ends_at" ON "console_sessions" USING btree ("token_ends_at");--> statement-breakpoint
CREATE INDEX "console_sessions_subject_id" ON "console_sessions" USING btree ("subject_id");