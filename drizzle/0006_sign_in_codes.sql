CREATE TABLE "sign_in_codes" (
	"id" uuid NOT NULL,
	"code_hash" "bytea" NOT NULL,
	"sealed_account" text NOT NULL,
	"browser_hash" "bytea" NOT NULL,
	"place" text NOT NULL,
	"state" text NOT NULL,
	"wrong_codes" integer NOT NULL,
	"user_id" uuid,
	"user_epoch" bigint,
	"address" text,
	"created_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"mac" "bytea",
	"mac_version" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "sign_in_codes_id_browser_hash_pk" PRIMARY KEY("id","browser_hash"),
	CONSTRAINT "sign_in_codes_state" CHECK ("sign_in_codes"."state" in ('requested', 'active', 'used', 'spent', 'superseded')),
	CONSTRAINT "sign_in_codes_sent_to_mailbox" CHECK (("sign_in_codes"."user_id" is null) = ("sign_in_codes"."user_epoch" is null) and ("sign_in_codes"."user_id" is null) = ("sign_in_codes"."address" is null)),
	CONSTRAINT "sign_in_codes_sent_has_user" CHECK (case "sign_in_codes"."state" when 'requested' then "sign_in_codes"."user_id" is null when 'active' then "sign_in_codes"."user_id" is not null when 'used' then "sign_in_codes"."user_id" is not null else true end)
);
--> statement-breakpoint
ALTER TABLE "sign_in_codes" ADD CONSTRAINT "sign_in_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "sign_in_codes_one_open" ON "sign_in_codes" USING btree ("browser_hash","place") WHERE "sign_in_codes"."state" in ('requested', 'active');--> statement-breakpoint
CREATE INDEX "sign_in_codes_ends_at" ON "sign_in_codes" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "sign_in_codes_user_id" ON "sign_in_codes" USING btree ("user_id");