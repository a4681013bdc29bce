CREATE TABLE "mails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"domain_hash" "bytea" NOT NULL,
	"subject_id" uuid,
	"sealed_contents" text,
	"state" text NOT NULL,
	"attempts" integer NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"gives_up_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"drop_reason" text,
	CONSTRAINT "mails_purpose" CHECK ("mails"."purpose" in ('notice', 'link')),
	CONSTRAINT "mails_state" CHECK ("mails"."state" in ('pending', 'sent', 'dropped')),
	CONSTRAINT "mails_pending_is_due" CHECK (("mails"."state" = 'pending') = ("mails"."next_attempt_at" is not null)),
	CONSTRAINT "mails_pending_has_contents" CHECK (("mails"."state" = 'pending') = ("mails"."sealed_contents" is not null)),
	CONSTRAINT "mails_ended" CHECK (("mails"."state" = 'pending') = ("mails"."ended_at" is null)),
	CONSTRAINT "mails_dropped_has_reason" CHECK (("mails"."state" = 'dropped') = ("mails"."drop_reason" is not null))
);
--> statement-breakpoint
CREATE INDEX "mails_pending" ON "mails" USING btree ("purpose","domain_hash","next_attempt_at") WHERE "mails"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "mails_gives_up_at" ON "mails" USING btree ("gives_up_at");--> statement-breakpoint
CREATE INDEX "mails_subject_id" ON "mails" USING btree ("subject_id");