CREATE TABLE "operator_set_ups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"username" text,
	"user_id" uuid,
	"server_epoch" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"ended_reason" text,
	"mac" "bytea",
	"mac_version" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "operator_set_ups_state" CHECK ("operator_set_ups"."state" in ('active', 'used', 'ended')),
	CONSTRAINT "operator_set_ups_ended" CHECK (("operator_set_ups"."state" = 'ended') = ("operator_set_ups"."ended_reason" is not null)),
	CONSTRAINT "operator_set_ups_has_user" CHECK ("operator_set_ups"."state" = 'ended' or ("operator_set_ups"."state" = 'used') = ("operator_set_ups"."user_id" is not null))
);
--> statement-breakpoint
ALTER TABLE "operator_set_ups" ADD CONSTRAINT "operator_set_ups_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "operator_set_ups_secret_hash" ON "operator_set_ups" USING btree ("secret_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "operator_set_ups_one_each" ON "operator_set_ups" USING btree ("state") WHERE "operator_set_ups"."state" <> 'ended';--> statement-breakpoint
CREATE INDEX "operator_set_ups_user_id" ON "operator_set_ups" USING btree ("user_id");