CREATE TABLE "email_challenges" (
	"id" uuid PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"state" text NOT NULL,
	"superseded_reason" text,
	"secret_hash" "bytea" NOT NULL,
	"person" text NOT NULL,
	"subject_id" uuid,
	"subject_epoch" bigint,
	"address" text NOT NULL,
	"sent_by" text,
	"goes_on_path" text,
	"goes_on_browser_hash" "bytea",
	"created_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	CONSTRAINT "email_challenges_state" CHECK ("email_challenges"."state" in ('active', 'used', 'superseded')),
	CONSTRAINT "email_challenges_purpose" CHECK ("email_challenges"."purpose" in ('verify_address', 'reset_password', 'change_address', 'undo_change', 'lost_factors', 'sign_up', 'invitation')),
	CONSTRAINT "email_challenges_superseded_has_reason" CHECK (("email_challenges"."state" = 'superseded') = ("email_challenges"."superseded_reason" is not null)),
	CONSTRAINT "email_challenges_has_user" CHECK (("email_challenges"."subject_id" is null) = ("email_challenges"."purpose" in ('sign_up', 'invitation')) and ("email_challenges"."subject_id" is null) = ("email_challenges"."subject_epoch" is null)),
	CONSTRAINT "email_challenges_goes_on" CHECK (("email_challenges"."goes_on_path" is null) = ("email_challenges"."goes_on_browser_hash" is null))
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "password_by_link_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "email_challenges" ADD CONSTRAINT "email_challenges_subject_id_users_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "email_challenges_secret_hash" ON "email_challenges" USING btree ("secret_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "email_challenges_one_active" ON "email_challenges" USING btree ("person","purpose") WHERE "email_challenges"."state" = 'active' and "email_challenges"."purpose" <> 'undo_change';--> statement-breakpoint
CREATE INDEX "email_challenges_person" ON "email_challenges" USING btree ("person");--> statement-breakpoint
CREATE INDEX "email_challenges_ends_at" ON "email_challenges" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "users_email" ON "users" USING btree (lower("claims" ->> 'email'));