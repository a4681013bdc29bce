CREATE TABLE "trusted_browsers" (
	"id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"state" text NOT NULL,
	"secret_hash" "bytea",
	"user_epoch" bigint NOT NULL,
	"server_epoch" bigint NOT NULL,
	"factor_id" uuid NOT NULL,
	"user_agent" text,
	"created_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"mac" "bytea",
	"mac_version" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "trusted_browsers_id_user_id_pk" PRIMARY KEY("id","user_id"),
	CONSTRAINT "trusted_browsers_state" CHECK ("trusted_browsers"."state" in ('active', 'ended')),
	CONSTRAINT "trusted_browsers_ended" CHECK (("trusted_browsers"."state" = 'ended') = ("trusted_browsers"."ended_at" is not null)),
	CONSTRAINT "trusted_browsers_secret" CHECK (("trusted_browsers"."state" = 'ended') = ("trusted_browsers"."secret_hash" is null))
);
--> statement-breakpoint
ALTER TABLE "trusted_browsers" ADD CONSTRAINT "trusted_browsers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "trusted_browsers_user_id_secret_hash" ON "trusted_browsers" USING btree ("user_id","secret_hash");--> statement-breakpoint
CREATE INDEX "trusted_browsers_ends_at" ON "trusted_browsers" USING btree ("ends_at");