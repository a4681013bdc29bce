CREATE TABLE "client_logos" (
	"logo_uri" text PRIMARY KEY NOT NULL,
	"hash" text,
	"type" text,
	"bytes" "bytea",
	"fetch_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "external_sign_ins" (
	"id" uuid PRIMARY KEY NOT NULL,
	"reference_hash" "bytea" NOT NULL,
	"kind" text NOT NULL,
	"purpose" text NOT NULL,
	"provider" text NOT NULL,
	"browser_hash" "bytea" NOT NULL,
	"interaction_id" uuid,
	"sealed_interaction" text,
	"wishes" jsonb NOT NULL,
	"sealed_secrets" text,
	"state" text NOT NULL,
	"subject_id" uuid,
	"amr" text[],
	"authenticated_at" timestamp with time zone,
	"refusal" text,
	"began_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	CONSTRAINT "external_sign_ins_state" CHECK ("external_sign_ins"."state" in ('awaiting', 'answered', 'denied', 'used')),
	CONSTRAINT "external_sign_ins_used_says_who_how_and_when" CHECK ("external_sign_ins"."state" <> 'used' or ("external_sign_ins"."subject_id" is not null and "external_sign_ins"."amr" is not null and "external_sign_ins"."authenticated_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "linked_identities" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subject_id" uuid NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"provider" text NOT NULL,
	"linked_at" timestamp with time zone NOT NULL,
	"state" text NOT NULL,
	"removed_at" timestamp with time zone,
	"removed_reason" text,
	CONSTRAINT "linked_identities_state" CHECK ("linked_identities"."state" in ('active', 'removed')),
	CONSTRAINT "linked_identities_removed_has_reason" CHECK (("linked_identities"."state" = 'removed') = ("linked_identities"."removed_reason" is not null and "linked_identities"."removed_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subject_id" uuid NOT NULL,
	"state" text NOT NULL,
	"name" text NOT NULL,
	"credential_id" "bytea" NOT NULL,
	"public_key" "bytea",
	"counter" bigint NOT NULL,
	"backup_eligible" boolean NOT NULL,
	"transports" text[] NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone,
	"removed_at" timestamp with time zone,
	CONSTRAINT "passkeys_state" CHECK ("passkeys"."state" in ('active', 'removed')),
	CONSTRAINT "passkeys_removed" CHECK (("passkeys"."state" = 'removed') = ("passkeys"."removed_at" is not null)),
	CONSTRAINT "passkeys_public_key" CHECK (("passkeys"."state" = 'removed') = ("passkeys"."public_key" is null))
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subject_id" uuid NOT NULL,
	"state" text NOT NULL,
	"code_hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "recovery_codes_state" CHECK ("recovery_codes"."state" in ('active', 'used', 'replaced')),
	CONSTRAINT "recovery_codes_ended" CHECK (("recovery_codes"."state" = 'active') = ("recovery_codes"."ended_at" is null))
);
--> statement-breakpoint
CREATE TABLE "second_factors" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subject_id" uuid NOT NULL,
	"state" text NOT NULL,
	"sealed_secret" text,
	"last_step" bigint,
	"created_at" timestamp with time zone NOT NULL,
	"confirmed_at" timestamp with time zone,
	"removed_at" timestamp with time zone,
	CONSTRAINT "second_factors_state" CHECK ("second_factors"."state" in ('unconfirmed', 'active', 'removed')),
	CONSTRAINT "second_factors_removed" CHECK (("second_factors"."state" = 'removed') = ("second_factors"."removed_at" is not null)),
	CONSTRAINT "second_factors_secret" CHECK (("second_factors"."state" = 'removed') = ("second_factors"."sealed_secret" is null)),
	CONSTRAINT "second_factors_confirmed" CHECK ("second_factors"."state" <> 'active' or "second_factors"."last_step" is not null)
);
--> statement-breakpoint
CREATE TABLE "spent_challenges" (
	"challenge_hash" "bytea" PRIMARY KEY NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sessions" DROP CONSTRAINT "sessions_state";--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "logo_uri" text;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "tos_uri" text;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "policy_uri" text;--> statement-breakpoint
ALTER TABLE "interactions" ADD COLUMN "required_class" text;--> statement-breakpoint
ALTER TABLE "interactions" ADD COLUMN "ui_locales" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "amr" text[] DEFAULT '{"pwd"}' NOT NULL;--> statement-breakpoint
ALTER TABLE "sign_in_failures" ADD COLUMN "last_failed_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "imported_hash" text;--> statement-breakpoint
ALTER TABLE "external_sign_ins" ADD CONSTRAINT "external_sign_ins_subject_id_users_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "linked_identities" ADD CONSTRAINT "linked_identities_subject_id_users_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_subject_id_users_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_subject_id_users_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "second_factors" ADD CONSTRAINT "second_factors_subject_id_users_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "client_logos_hash" ON "client_logos" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "client_logos_fetch_at" ON "client_logos" USING btree ("fetch_at");--> statement-breakpoint
CREATE UNIQUE INDEX "external_sign_ins_reference_hash" ON "external_sign_ins" USING btree ("reference_hash");--> statement-breakpoint
CREATE INDEX "external_sign_ins_browser_hash" ON "external_sign_ins" USING btree ("browser_hash");--> statement-breakpoint
CREATE INDEX "external_sign_ins_ends_at" ON "external_sign_ins" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "external_sign_ins_subject_id" ON "external_sign_ins" USING btree ("subject_id");--> statement-breakpoint
CREATE UNIQUE INDEX "linked_identities_issuer_subject" ON "linked_identities" USING btree ("issuer","subject") WHERE "linked_identities"."state" = 'active';--> statement-breakpoint
CREATE INDEX "linked_identities_subject_id" ON "linked_identities" USING btree ("subject_id");--> statement-breakpoint
CREATE UNIQUE INDEX "passkeys_credential_id" ON "passkeys" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "passkeys_subject_id" ON "passkeys" USING btree ("subject_id");--> statement-breakpoint
CREATE UNIQUE INDEX "recovery_codes_subject_id_code_hash" ON "recovery_codes" USING btree ("subject_id","code_hash");--> statement-breakpoint
CREATE INDEX "second_factors_subject_id" ON "second_factors" USING btree ("subject_id");--> statement-breakpoint
CREATE INDEX "spent_challenges_ends_at" ON "spent_challenges" USING btree ("ends_at");--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_state" CHECK ("sessions"."state" in ('awaitingSecondFactor', 'active', 'ended'));