CREATE SEQUENCE "public"."transitions_position" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 32;--> statement-breakpoint
CREATE TABLE "client_logos" (
	"logo_uri" text PRIMARY KEY NOT NULL,
	"hash" text,
	"type" text,
	"bytes" "bytea",
	"fetch_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "clients" (
	"client_id" text PRIMARY KEY NOT NULL,
	"client_name" text NOT NULL,
	"application_type" text NOT NULL,
	"token_endpoint_auth_method" text NOT NULL,
	"secret_macs" jsonb NOT NULL,
	"redirect_uris" text[] NOT NULL,
	"grant_types" text[] NOT NULL,
	"scope" text[],
	"default_scope" text[],
	"default_resource" text,
	"policy" text NOT NULL,
	"post_logout_redirect_uris" text[] DEFAULT '{}' NOT NULL,
	"id_token_signed_response_alg" text DEFAULT 'RS256' NOT NULL,
	"logo_uri" text,
	"tos_uri" text,
	"policy_uri" text,
	"declared" boolean DEFAULT false NOT NULL,
	"registered_by" text DEFAULT 'operator' NOT NULL,
	"epoch" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp with time zone,
	"mac" "bytea",
	"mac_version" bigint DEFAULT 0 NOT NULL,
	"token_mac" "bytea"
);
--> statement-breakpoint
CREATE TABLE "consents" (
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"user_epoch" bigint NOT NULL,
	"client_epoch" bigint NOT NULL,
	"scope" text[] NOT NULL,
	"resources" text[] NOT NULL,
	"granted_at" timestamp with time zone NOT NULL,
	"mac" "bytea",
	"mac_version" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "consents_user_id_client_id_resources_pk" PRIMARY KEY("user_id","client_id","resources")
);
--> statement-breakpoint
CREATE TABLE "console_sessions" (
	"id_hash" "bytea" PRIMARY KEY NOT NULL,
	"form_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"sealed_token" text NOT NULL,
	"renew_at" timestamp with time zone NOT NULL,
	"token_ends_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "denied_access_tokens" (
	"jti" text PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "email_challenges" (
	"id" uuid NOT NULL,
	"purpose" text NOT NULL,
	"state" text NOT NULL,
	"superseded_reason" text,
	"secret_hash" "bytea" NOT NULL,
	"person" text NOT NULL,
	"user_id" uuid,
	"user_epoch" bigint,
	"address" text NOT NULL,
	"sent_by" text,
	"goes_on_path" text,
	"goes_on_browser_hash" "bytea",
	"newer_links" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"mac" "bytea",
	"mac_version" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "email_challenges_id_person_pk" PRIMARY KEY("id","person"),
	CONSTRAINT "email_challenges_state" CHECK ("email_challenges"."state" in ('active', 'used', 'superseded')),
	CONSTRAINT "email_challenges_purpose" CHECK ("email_challenges"."purpose" in ('verify_address', 'reset_password', 'change_address', 'undo_change', 'lost_factors', 'sign_up', 'invitation')),
	CONSTRAINT "email_challenges_superseded_has_reason" CHECK (("email_challenges"."state" = 'superseded') = ("email_challenges"."superseded_reason" is not null)),
	CONSTRAINT "email_challenges_has_user" CHECK (("email_challenges"."user_id" is null) = ("email_challenges"."purpose" in ('sign_up', 'invitation')) and ("email_challenges"."user_id" is null) = ("email_challenges"."user_epoch" is null)),
	CONSTRAINT "email_challenges_goes_on" CHECK (("email_challenges"."goes_on_path" is null) = ("email_challenges"."goes_on_browser_hash" is null))
);
--> statement-breakpoint
CREATE TABLE "ended_rows" (
	"relation" text NOT NULL,
	"key" text NOT NULL,
	"forget_at" timestamp with time zone,
	CONSTRAINT "ended_rows_relation_key_pk" PRIMARY KEY("relation","key")
);
--> statement-breakpoint
CREATE TABLE "external_sign_ins" (
	"id" uuid NOT NULL,
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
	"user_id" uuid,
	"amr" text[],
	"authenticated_at" timestamp with time zone,
	"refusal" text,
	"began_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"mac" "bytea",
	"mac_version" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "external_sign_ins_id_reference_hash_pk" PRIMARY KEY("id","reference_hash"),
	CONSTRAINT "external_sign_ins_state" CHECK ("external_sign_ins"."state" in ('awaiting', 'answered', 'denied', 'used')),
	CONSTRAINT "external_sign_ins_used_says_who_how_and_when" CHECK ("external_sign_ins"."state" <> 'used' or ("external_sign_ins"."user_id" is not null and "external_sign_ins"."amr" is not null and "external_sign_ins"."authenticated_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "grants" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"client_epoch" bigint NOT NULL,
	"user_epoch" bigint NOT NULL,
	"server_epoch" bigint NOT NULL,
	"scope" text[] NOT NULL,
	"resources" text[] NOT NULL,
	"policy" text NOT NULL,
	"code_hash" "bytea" NOT NULL,
	"code_challenge" text NOT NULL,
	"redirect_uri" text NOT NULL,
	"identity" jsonb,
	"code_ends_at" timestamp with time zone NOT NULL,
	"state" text NOT NULL,
	"revoked_at" timestamp with time zone,
	"revoked_reason" text,
	"refresh_generation" bigint,
	"refresh_nonce" "bytea",
	"created_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone,
	"chain_ends_at" timestamp with time zone,
	CONSTRAINT "grants_state" CHECK ("grants"."state" in ('active', 'revoked')),
	CONSTRAINT "grants_revoked_has_reason" CHECK (("grants"."state" = 'revoked') = ("grants"."revoked_reason" is not null)),
	CONSTRAINT "grants_head_is_whole" CHECK (("grants"."refresh_generation" is null) = ("grants"."refresh_nonce" is null))
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"name_hash" "bytea" PRIMARY KEY NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"root_key_id" text NOT NULL,
	"salt" "bytea" NOT NULL,
	"carried_out" boolean DEFAULT false NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "interactions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"browser_hash" "bytea" NOT NULL,
	"client_id" text NOT NULL,
	"client_epoch" bigint NOT NULL,
	"redirect_uri" text NOT NULL,
	"code_challenge" text NOT NULL,
	"scope" text[] NOT NULL,
	"resources" text[] NOT NULL,
	"request_state" text,
	"nonce" text,
	"prompt" text[] DEFAULT '{}' NOT NULL,
	"max_age_seconds" integer,
	"required_class" text,
	"hinted_user_id" text,
	"login_hint" text,
	"ui_locales" text[] DEFAULT '{}' NOT NULL,
	"response_mode" text DEFAULT 'query' NOT NULL,
	"user_id" uuid,
	"created_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	CONSTRAINT "interactions_state" CHECK ("interactions"."state" in ('awaitingSignIn', 'awaitingConsent', 'approved', 'denied'))
);
--> statement-breakpoint
CREATE TABLE "ledger_retention" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"kept_days" integer NOT NULL,
	CONSTRAINT "ledger_retention_only" CHECK ("ledger_retention"."only")
);
--> statement-breakpoint
CREATE TABLE "ledger_seals" (
	"shard" integer DEFAULT 1 NOT NULL,
	"number" bigint NOT NULL,
	"sealed_at" timestamp with time zone NOT NULL,
	"statement" text NOT NULL,
	"signature" text NOT NULL,
	"line_index" "bytea" NOT NULL,
	CONSTRAINT "ledger_seals_shard_number_pk" PRIMARY KEY("shard","number"),
	CONSTRAINT "ledger_seals_of_the_shard" CHECK ("ledger_seals"."shard" = 1)
);
--> statement-breakpoint
CREATE TABLE "linked_identities" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"provider" text NOT NULL,
	"linked_at" timestamp with time zone NOT NULL,
	"state" text NOT NULL,
	"removed_at" timestamp with time zone,
	"removed_reason" text,
	"mac" "bytea",
	"mac_version" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "linked_identities_state" CHECK ("linked_identities"."state" in ('active', 'removed')),
	CONSTRAINT "linked_identities_removed_has_reason" CHECK (("linked_identities"."state" = 'removed') = ("linked_identities"."removed_reason" is not null and "linked_identities"."removed_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"domain_hash" "bytea" NOT NULL,
	"user_id" uuid,
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
CREATE TABLE "nodes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"version" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"seen_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
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
	"mac" "bytea",
	"mac_version" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "passkeys_state" CHECK ("passkeys"."state" in ('active', 'removed')),
	CONSTRAINT "passkeys_removed" CHECK (("passkeys"."state" = 'removed') = ("passkeys"."removed_at" is not null)),
	CONSTRAINT "passkeys_public_key" CHECK (("passkeys"."state" = 'removed') = ("passkeys"."public_key" is null))
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"state" text NOT NULL,
	"code_hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "recovery_codes_id_user_id_pk" PRIMARY KEY("id","user_id"),
	CONSTRAINT "recovery_codes_state" CHECK ("recovery_codes"."state" in ('active', 'used', 'replaced')),
	CONSTRAINT "recovery_codes_ended" CHECK (("recovery_codes"."state" = 'active') = ("recovery_codes"."ended_at" is null))
);
--> statement-breakpoint
CREATE TABLE "root_secrets" (
	"key_id" text PRIMARY KEY NOT NULL,
	"makes_until" timestamp with time zone,
	"sealed_recovery_code_key" text
);
--> statement-breakpoint
CREATE TABLE "second_factors" (
	"id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"state" text NOT NULL,
	"sealed_secret" text,
	"last_step" bigint,
	"created_at" timestamp with time zone NOT NULL,
	"confirmed_at" timestamp with time zone,
	"removed_at" timestamp with time zone,
	CONSTRAINT "second_factors_id_user_id_pk" PRIMARY KEY("id","user_id"),
	CONSTRAINT "second_factors_state" CHECK ("second_factors"."state" in ('unconfirmed', 'active', 'removed')),
	CONSTRAINT "second_factors_removed" CHECK (("second_factors"."state" = 'removed') = ("second_factors"."removed_at" is not null)),
	CONSTRAINT "second_factors_secret" CHECK (("second_factors"."state" = 'removed') = ("second_factors"."sealed_secret" is null)),
	CONSTRAINT "second_factors_confirmed" CHECK ("second_factors"."state" <> 'active' or "second_factors"."last_step" is not null)
);
--> statement-breakpoint
CREATE TABLE "server" (
	"id" integer PRIMARY KEY NOT NULL,
	"epoch" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "server_is_one_row" CHECK ("server"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id_hash" "bytea" NOT NULL,
	"sid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"user_epoch" bigint NOT NULL,
	"server_epoch" bigint NOT NULL,
	"signed_in_at" timestamp with time zone NOT NULL,
	"amr" text[] DEFAULT '{"pwd"}' NOT NULL,
	"last_used_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"ended_reason" text,
	"user_agent" text,
	"mac" "bytea",
	"mac_version" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "sessions_sid_user_id_pk" PRIMARY KEY("sid","user_id"),
	CONSTRAINT "sessions_state" CHECK ("sessions"."state" in ('awaitingSecondFactor', 'active', 'ended')),
	CONSTRAINT "sessions_ended_has_reason" CHECK (("sessions"."state" = 'ended') = ("sessions"."ended_reason" is not null))
);
--> statement-breakpoint
CREATE TABLE "sign_in_failures" (
	"key_hash" "bytea" PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"last_failed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"window_ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signing_keys" (
	"kid" text PRIMARY KEY NOT NULL,
	"alg" text NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"private_jwe" text,
	"state" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"may_sign_at" timestamp with time zone NOT NULL,
	"began_signing_at" timestamp with time zone,
	"rotation_asked_at" timestamp with time zone,
	"stopped_signing_at" timestamp with time zone,
	"retired_at" timestamp with time zone,
	"retired_reason" text,
	"mac" "bytea",
	"mac_version" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "signing_keys_state" CHECK ("signing_keys"."state" in ('published', 'signing', 'retiring', 'retired')),
	CONSTRAINT "signing_keys_private_part" CHECK (("signing_keys"."state" in ('published', 'signing')) = ("signing_keys"."private_jwe" is not null)),
	CONSTRAINT "signing_keys_began" CHECK ("signing_keys"."state" <> 'signing' or "signing_keys"."began_signing_at" is not null),
	CONSTRAINT "signing_keys_stopped" CHECK ("signing_keys"."state" <> 'retiring' or "signing_keys"."stopped_signing_at" is not null),
	CONSTRAINT "signing_keys_retired_has_reason" CHECK (("signing_keys"."state" = 'retired') = ("signing_keys"."retired_reason" is not null and "signing_keys"."retired_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "spent_challenges" (
	"challenge_hash" "bytea" PRIMARY KEY NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transitions" (
	"at" timestamp with time zone NOT NULL,
	"machine" text NOT NULL,
	"shard_key" uuid NOT NULL,
	"grant_id" uuid,
	"interaction_id" uuid,
	"event" text NOT NULL,
	"from_state" text NOT NULL,
	"to_state" text NOT NULL,
	"reason" text,
	"generation" bigint,
	"client_id" text,
	"policy" text,
	"signing_key_id" text,
	"session_id" uuid,
	"scope_withheld" text,
	"user_id" uuid,
	"actor" text,
	"address_hash" text,
	"fields" text[],
	"address" text,
	"account_hash" text,
	"begun_session_id" uuid,
	"user_agent" text,
	"recorded_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"position" bigint DEFAULT nextval('transitions_position') NOT NULL
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"username" text NOT NULL,
	"username_key" text NOT NULL,
	"password_hash" text NOT NULL,
	"imported_hash" text,
	"password_by_link_at" timestamp with time zone,
	"claims" jsonb NOT NULL,
	"epoch" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"disabled_at" timestamp with time zone,
	"deleted_at" timestamp with time zone,
	"mac" "bytea",
	"mac_version" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" uuid NOT NULL,
	"receiver" text NOT NULL,
	"event_id" uuid NOT NULL,
	"event_type" text NOT NULL,
	"user_id" uuid,
	"data" jsonb NOT NULL,
	"occurred_at" timestamp with time zone NOT NULL,
	"state" text NOT NULL,
	"attempts" integer NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"gives_up_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"abandoned_reason" text,
	"last_outcome" text,
	CONSTRAINT "webhook_deliveries_id_event_id_pk" PRIMARY KEY("id","event_id"),
	CONSTRAINT "webhook_deliveries_state" CHECK ("webhook_deliveries"."state" in ('pending', 'delivered', 'abandoned')),
	CONSTRAINT "webhook_deliveries_pending_is_due" CHECK (("webhook_deliveries"."state" = 'pending') = ("webhook_deliveries"."next_attempt_at" is not null)),
	CONSTRAINT "webhook_deliveries_ended" CHECK (("webhook_deliveries"."state" = 'pending') = ("webhook_deliveries"."ended_at" is null)),
	CONSTRAINT "webhook_deliveries_abandoned_has_reason" CHECK (("webhook_deliveries"."state" = 'abandoned') = ("webhook_deliveries"."abandoned_reason" is not null))
);
--> statement-breakpoint
CREATE TABLE "webhook_receivers" (
	"name" text PRIMARY KEY NOT NULL,
	"recorded_in" "xid8" NOT NULL,
	"position" bigint NOT NULL,
	"seen_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "consents" ADD CONSTRAINT "consents_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "consents" ADD CONSTRAINT "consents_client_id_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_challenges" ADD CONSTRAINT "email_challenges_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "external_sign_ins" ADD CONSTRAINT "external_sign_ins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_client_id_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "interactions" ADD CONSTRAINT "interactions_client_id_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "interactions" ADD CONSTRAINT "interactions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "linked_identities" ADD CONSTRAINT "linked_identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "second_factors" ADD CONSTRAINT "second_factors_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "client_logos_hash" ON "client_logos" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "client_logos_fetch_at" ON "client_logos" USING btree ("fetch_at");--> statement-breakpoint
CREATE INDEX "console_sessions_token_ends_at" ON "console_sessions" USING btree ("token_ends_at");--> statement-breakpoint
CREATE INDEX "console_sessions_user_id" ON "console_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "denied_access_tokens_ends_at" ON "denied_access_tokens" USING btree ("ends_at");--> statement-breakpoint
CREATE UNIQUE INDEX "email_challenges_secret_hash" ON "email_challenges" USING btree ("secret_hash","person");--> statement-breakpoint
CREATE UNIQUE INDEX "email_challenges_one_newest" ON "email_challenges" USING btree ("person","purpose") WHERE "email_challenges"."state" = 'active' and "email_challenges"."newer_links" = 0 and "email_challenges"."purpose" <> 'undo_change';--> statement-breakpoint
CREATE INDEX "email_challenges_person" ON "email_challenges" USING btree ("person");--> statement-breakpoint
CREATE INDEX "email_challenges_ends_at" ON "email_challenges" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "ended_rows_forget_at" ON "ended_rows" USING btree ("forget_at");--> statement-breakpoint
CREATE UNIQUE INDEX "external_sign_ins_reference_hash" ON "external_sign_ins" USING btree ("reference_hash");--> statement-breakpoint
CREATE INDEX "external_sign_ins_browser_hash" ON "external_sign_ins" USING btree ("browser_hash");--> statement-breakpoint
CREATE INDEX "external_sign_ins_ends_at" ON "external_sign_ins" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "external_sign_ins_user_id" ON "external_sign_ins" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "grants_created_at" ON "grants" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "grants_user_id_created_at" ON "grants" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "grants_revoked_at" ON "grants" USING btree ("revoked_at") WHERE "grants"."state" = 'revoked';--> statement-breakpoint
CREATE INDEX "grants_client_id_created_at" ON "grants" USING btree ("client_id","created_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_ends_at" ON "idempotency_keys" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "interactions_ends_at" ON "interactions" USING btree ("ends_at");--> statement-breakpoint
CREATE UNIQUE INDEX "linked_identities_issuer_subject" ON "linked_identities" USING btree ("issuer","subject") WHERE "linked_identities"."state" = 'active';--> statement-breakpoint
CREATE INDEX "linked_identities_user_id" ON "linked_identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "mails_pending" ON "mails" USING btree ("purpose","domain_hash","next_attempt_at") WHERE "mails"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "mails_gives_up_at" ON "mails" USING btree ("gives_up_at");--> statement-breakpoint
CREATE INDEX "mails_user_id" ON "mails" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "passkeys_credential_id" ON "passkeys" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "passkeys_user_id" ON "passkeys" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "recovery_codes_user_id_code_hash" ON "recovery_codes" USING btree ("user_id","code_hash");--> statement-breakpoint
CREATE INDEX "second_factors_user_id" ON "second_factors" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_ends_at" ON "sessions" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "sessions_user_id_signed_in_at" ON "sessions" USING btree ("user_id","signed_in_at");--> statement-breakpoint
CREATE INDEX "sessions_signed_in_at" ON "sessions" USING btree ("signed_in_at");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_id_hash" ON "sessions" USING btree ("id_hash","user_id");--> statement-breakpoint
CREATE INDEX "sign_in_failures_window_ends_at" ON "sign_in_failures" USING btree ("window_ends_at");--> statement-breakpoint
CREATE INDEX "spent_challenges_ends_at" ON "spent_challenges" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "transitions_shard_key" ON "transitions" USING btree ("shard_key","at");--> statement-breakpoint
CREATE INDEX "transitions_order" ON "transitions" USING btree ("recorded_in","position","at");--> statement-breakpoint
CREATE INDEX "transitions_about" ON "transitions" USING btree (coalesce("session_id", "user_id")) WHERE coalesce("transitions"."session_id", "transitions"."user_id") is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "users_username_key" ON "users" USING btree ("username_key");--> statement-breakpoint
CREATE INDEX "users_email" ON "users" USING btree (lower("claims" ->> 'email'));--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_receiver_event_id" ON "webhook_deliveries" USING btree ("receiver","event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("receiver","next_attempt_at") WHERE "webhook_deliveries"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_created_at" ON "webhook_deliveries" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_ended_at" ON "webhook_deliveries" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_user_id" ON "webhook_deliveries" USING btree ("user_id");
--> statement-breakpoint
-- From here on: what the schema language cannot say. Partitions, views, functions, rows that are always there. The triggers that
-- hold the machines are in triggers.sql.

INSERT INTO "server" ("id", "epoch") VALUES (1, 0);
--> statement-breakpoint
INSERT INTO "ledger_retention" ("kept_days") VALUES (90);
--> statement-breakpoint
-- Rotations rewrite one row again and again: leave room on the page, so that no index is touched (HOT).
ALTER TABLE "grants" SET (fillfactor = 70);
--> statement-breakpoint
-- However many nodes there are: of each algorithm one key signs, and one waits. A handover moves two rows in one statement, and
-- an index that is checked row by row would refuse it or not depending on their order. DEFERRABLE means: checked at the end of
-- the statement, so a commit that would break it is answered with an error, not with a success that fails later.
ALTER TABLE "signing_keys" ADD CONSTRAINT "signing_keys_one_signs_one_waits"
  EXCLUDE USING btree ("alg" WITH =, "state" WITH =) WHERE ("state" IN ('published', 'signing'))
  DEFERRABLE INITIALLY IMMEDIATE;
--> statement-breakpoint
-- A month without a partition must not stop a revocation.
CREATE TABLE "transitions_default" PARTITION OF "transitions" DEFAULT;
--> statement-breakpoint
-- The derived states, for people. The server derives them in src/model/; a test compares the two.
CREATE VIEW "grant_states" AS
SELECT
  g."id" AS "grant_id", g."client_id", g."user_id", g."scope", g."resources", g."created_at",
  CASE
    WHEN g."state" = 'revoked' OR c."epoch" <> g."client_epoch" OR c."deleted_at" IS NOT NULL
      OR u."epoch" <> g."user_epoch" OR u."disabled_at" IS NOT NULL OR s."epoch" <> g."server_epoch"
    THEN 'revoked' ELSE 'active'
  END AS "state",
  CASE
    WHEN g."state" = 'revoked' THEN g."revoked_reason"
    WHEN c."epoch" <> g."client_epoch" OR c."deleted_at" IS NOT NULL THEN 'client_ended'
    WHEN u."epoch" <> g."user_epoch" OR u."disabled_at" IS NOT NULL THEN 'user_ended'
    WHEN s."epoch" <> g."server_epoch" THEN 'server_epoch_raised'
  END AS "reason",
  g."revoked_at", g."code_ends_at", g."refresh_generation", g."last_used_at", g."chain_ends_at"
FROM "grants" g
JOIN "clients" c ON c."client_id" = g."client_id"
JOIN "users" u ON u."id" = g."user_id"
CROSS JOIN "server" s;
--> statement-breakpoint
CREATE VIEW "authorization_codes" AS
SELECT
  "grant_id", "client_id", "user_id",
  CASE WHEN "state" = 'revoked' THEN 'revoked' WHEN "refresh_generation" IS NULL THEN 'active' ELSE 'used' END AS "state",
  "reason", "created_at", "code_ends_at"
FROM "grant_states";
--> statement-breakpoint
-- One line per chain: its head. Every older token of an active chain is used.
CREATE VIEW "refresh_token_heads" AS
SELECT "grant_id", "client_id", "user_id", "state", "reason", "refresh_generation", "last_used_at", "chain_ends_at"
FROM "grant_states" WHERE "refresh_generation" IS NOT NULL;
--> statement-breakpoint
CREATE VIEW "session_states" AS
SELECT
  b."sid", b."user_id", b."signed_in_at", b."last_used_at", b."ends_at", b."user_agent",
  CASE
    WHEN b."state" = 'ended' OR u."epoch" <> b."user_epoch" OR u."disabled_at" IS NOT NULL OR s."epoch" <> b."server_epoch"
    THEN 'ended' ELSE b."state"
  END AS "state",
  CASE
    WHEN b."state" = 'ended' THEN b."ended_reason"
    WHEN u."epoch" <> b."user_epoch" OR u."disabled_at" IS NOT NULL THEN 'user_ended'
    WHEN s."epoch" <> b."server_epoch" THEN 'server_epoch_raised'
  END AS "reason"
FROM "sessions" b
JOIN "users" u ON u."id" = b."user_id"
CROSS JOIN "server" s;
--> statement-breakpoint
-- RFC 9700 §4.15: no client may be confused with an end-user. A token of a client has its client_id as its sub (RFC 9068 §2.2), so no
-- client_id is the sub of an end-user, in either order of registration. The lock makes two registrations at once wait for each other.
CREATE FUNCTION "client_id_is_no_sub"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.client_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
    PERFORM pg_advisory_xact_lock(9700, hashtext(lower(NEW.client_id)));
    IF EXISTS (SELECT FROM "public"."users" WHERE "id" = NEW.client_id::uuid) THEN
      PERFORM "public"."no_machine_allows"('a client_id is not the sub of an end-user', NEW.client_id, TG_NAME, TG_OP, TG_TABLE_NAME);
    END IF;
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "client_id_is_no_sub" BEFORE INSERT OR UPDATE OF "client_id" ON "clients"
  FOR EACH ROW EXECUTE FUNCTION "client_id_is_no_sub"();
--> statement-breakpoint
CREATE FUNCTION "sub_is_no_client_id"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(9700, hashtext(NEW.id::text));
  IF EXISTS (SELECT FROM "public"."clients" WHERE "client_id" IN (NEW.id::text, upper(NEW.id::text))) THEN
    PERFORM "public"."no_machine_allows"('the sub of an end-user is not a client_id', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "sub_is_no_client_id" BEFORE INSERT OR UPDATE OF "id" ON "users"
  FOR EACH ROW EXECUTE FUNCTION "sub_is_no_client_id"();
--> statement-breakpoint
-- The months of the ledger, for a server whose role does not own the tables (docs/decisions/0042). The role may call "keep_ledger_months"
-- alone, which takes nothing: so it can neither choose a table, nor drop a month before its time. Nothing waits for readers of the ledger: a month
-- that is there takes no lock. A month that is missing is made as a table of its own and then attached, for which the ledger is locked against other
-- changes of its partitions alone, and the empty default partition for a moment.
CREATE FUNCTION "keep_ledger_months_at"(at timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET lock_timeout = '250ms' AS $$
DECLARE
  kept interval := make_interval(days => coalesce((SELECT r.kept_days FROM "public"."ledger_retention" r), 90));
  month timestamptz;
  ends timestamptz;
  name text;
  partition record;
BEGIN
  FOR ahead IN 0..2 LOOP
    month := date_trunc('month', at) + make_interval(months => ahead);
    ends := month + interval '1 month';
    name := 'transitions_' || to_char(month, 'YYYY_MM');
    CONTINUE WHEN EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = '"public"."transitions"'::regclass AND c.relname = name);
    BEGIN
      -- The default partition keeps them until "statehouse migrate" moves them: no attempt could succeed.
      CONTINUE WHEN EXISTS (SELECT FROM "public"."transitions_default" d WHERE d.at >= month AND d.at < ends);
      EXECUTE format('CREATE TABLE "public".%I (LIKE "public"."transitions" INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
      EXECUTE format('ALTER TABLE "public"."transitions" ATTACH PARTITION "public".%I FOR VALUES FROM (%L) TO (%L)', name, month, ends);
    EXCEPTION
      -- Another node was first, an entry of this month came meanwhile, or the partitions are being read: the next round tries again.
      WHEN duplicate_table OR unique_violation OR check_violation OR lock_not_available OR deadlock_detected THEN NULL;
    END;
  END LOOP;
  FOR partition IN
    SELECT c.relname AS name, to_date(right(c.relname, 7), 'YYYY_MM')::timestamptz + interval '1 month' AS ends,
      EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'transitions_is_not_emptied') AS held
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = '"public"."transitions"'::regclass AND c.relname ~ '^transitions_\d{4}_\d{2}$'
  LOOP
    BEGIN
      IF partition.ends <= at - kept THEN
        EXECUTE format('DROP TABLE IF EXISTS "public".%I', partition.name);
      ELSIF NOT partition.held THEN
        -- Partitions inherit row triggers, but each needs its own trigger on TRUNCATE.
        EXECUTE format('CREATE OR REPLACE TRIGGER "transitions_is_not_emptied" BEFORE TRUNCATE ON "public".%I '
          'FOR EACH STATEMENT EXECUTE FUNCTION "public"."transitions_is_not_emptied"()', partition.name);
      END IF;
    EXCEPTION
      -- A change that waits would make every commit wait behind it. The next round tries again.
      WHEN lock_not_available OR deadlock_detected THEN NULL;
    END;
  END LOOP;
  -- Seals go from the oldest on, once the month in which they were made is over for as long. The newest stays: the next is chained to it.
  BEGIN
    DELETE FROM "public"."ledger_seals" s
      WHERE s.number < (SELECT max(n.number) FROM "public"."ledger_seals" n WHERE n.shard = s.shard)
        AND s.number < coalesce((SELECT min(k.number) FROM "public"."ledger_seals" k
          WHERE k.shard = s.shard AND date_trunc('month', k.sealed_at) + interval '1 month' > at - kept), s.number + 1);
  EXCEPTION
    -- Another node removes them.
    WHEN lock_not_available OR deadlock_detected THEN NULL;
  END;
END
$$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "keep_ledger_months_at"(timestamptz) FROM PUBLIC;
--> statement-breakpoint
CREATE FUNCTION "keep_ledger_months"() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT "public"."keep_ledger_months_at"(now());
$$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "keep_ledger_months"() FROM PUBLIC;
--> statement-breakpoint
-- Entries that are in no partition of a month, up to 1000: retention does not reach them. For the role of a server, which reads the ledger as a whole.
CREATE FUNCTION "ledger_default_entries"() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT count(*) FROM (SELECT FROM "public"."transitions_default" LIMIT 1000) d;
$$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "ledger_default_entries"() FROM PUBLIC;
--> statement-breakpoint
-- An entry has the number of the transaction that writes it, and the time of now; a seal has the next number. With other numbers, an entry would be in no
-- segment, and sealing would end behind a row that no server wrote. An entry as every server writes it does not call the function.
CREATE FUNCTION "ledger_entry_is_of_now"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.recorded_in <> pg_current_xact_id() THEN
    RAISE EXCEPTION USING ERRCODE = 'SH001', MESSAGE = 'an entry of the ledger has the number of the transaction that writes it: ' || TG_OP || ' on ' || TG_TABLE_NAME || ' is refused', HINT = 'docs/deploying.md, "What the database holds".',
      CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  -- The owner of the tables may write entries of another time, as tests do.
  IF NOT pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID), 'MEMBER') THEN
    RAISE EXCEPTION USING ERRCODE = 'SH001', MESSAGE = 'an entry of the ledger has the time of now: ' || TG_OP || ' on ' || TG_TABLE_NAME || ' is refused', HINT = 'docs/deploying.md, "What the database holds".', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "transitions_is_of_now" BEFORE INSERT ON "transitions" FOR EACH ROW
  WHEN (NEW.recorded_in <> pg_current_xact_id() OR NEW.at NOT BETWEEN now() - interval '1 day' AND now() + interval '1 day')
  EXECUTE FUNCTION "ledger_entry_is_of_now"();
--> statement-breakpoint
CREATE FUNCTION "ledger_seal_follows"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Two nodes may try the same number: the primary key lets one of them have it.
  IF EXISTS (SELECT FROM "public"."ledger_seals" s WHERE s.shard = NEW.shard AND s.number = NEW.number) THEN
    RETURN NEW;
  END IF;
  IF NEW.number < 1 OR NEW.number > 9007199254740990
    OR NOT (EXISTS (SELECT FROM "public"."ledger_seals" s WHERE s.shard = NEW.shard AND s.number = NEW.number - 1)
      OR (NEW.number = 1 AND NOT EXISTS (SELECT FROM "public"."ledger_seals" s WHERE s.shard = NEW.shard))) THEN
    RAISE EXCEPTION USING ERRCODE = 'SH001', MESSAGE = 'a seal of the ledger has the number after another: ' || TG_OP || ' on ' || TG_TABLE_NAME || ' is refused', HINT = 'docs/deploying.md, "What the database holds".',
      CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  -- Retention goes by this time.
  IF NEW.sealed_at NOT BETWEEN now() - interval '1 day' AND now() + interval '1 day'
    AND NOT pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID), 'MEMBER') THEN
    RAISE EXCEPTION USING ERRCODE = 'SH001', MESSAGE = 'a seal of the ledger has the time of now: ' || TG_OP || ' on ' || TG_TABLE_NAME || ' is refused', HINT = 'docs/deploying.md, "What the database holds".', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "ledger_seals_follows" BEFORE INSERT ON "ledger_seals" FOR EACH ROW
  EXECUTE FUNCTION "ledger_seal_follows"();
