CREATE TABLE "last_sign_ins" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"signed_in_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "changed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "last_sign_ins" ADD CONSTRAINT "last_sign_ins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "last_sign_ins_signed_in_at" ON "last_sign_ins" USING btree ("signed_in_at","user_id");--> statement-breakpoint
CREATE INDEX "clients_created_at" ON "clients" USING btree ("created_at","client_id");--> statement-breakpoint
CREATE INDEX "clients_client_name" ON "clients" USING btree ("client_name","client_id");--> statement-breakpoint
CREATE INDEX "users_created_at" ON "users" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "users_disabled" ON "users" USING btree ("username_key") WHERE "users"."disabled_at" is not null and "users"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "users_claims" ON "users" USING gin ("claims" jsonb_path_ops) WHERE "users"."deleted_at" is null;--> statement-breakpoint
-- The sessions that there are. Signed-out sessions may have awaited a factor, so they show no sign-in. UPGRADING.md has the statement for the ledger.
INSERT INTO "last_sign_ins" ("user_id", "signed_in_at") SELECT "user_id", max("signed_in_at") FROM "sessions" WHERE "state" = 'active' GROUP BY "user_id";
