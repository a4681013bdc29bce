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
	"epoch" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "consents" (
	"subject_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"subject_epoch" bigint NOT NULL,
	"client_epoch" bigint NOT NULL,
	"scope" text[] NOT NULL,
	"resources" text[] NOT NULL,
	"granted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "consents_subject_id_client_id_pk" PRIMARY KEY("subject_id","client_id")
);
--> statement-breakpoint
CREATE TABLE "grants" (
	"id" uuid PRIMARY KEY NOT NULL,
	"interaction_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"subject_id" uuid NOT NULL,
	"client_epoch" bigint NOT NULL,
	"subject_epoch" bigint NOT NULL,
	"server_epoch" bigint NOT NULL,
	"scope" text[] NOT NULL,
	"resources" text[] NOT NULL,
	"policy" text NOT NULL,
	"code_hash" "bytea" NOT NULL,
	"code_challenge" text NOT NULL,
	"redirect_uri" text NOT NULL,
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
	"subject_id" uuid,
	"created_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	CONSTRAINT "interactions_state" CHECK ("interactions"."state" in ('awaitingSignIn', 'awaitingConsent', 'approved', 'denied'))
);
--> statement-breakpoint
CREATE TABLE "server" (
	"id" integer PRIMARY KEY NOT NULL,
	"epoch" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "server_is_one_row" CHECK ("server"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id_hash" "bytea" PRIMARY KEY NOT NULL,
	"subject_id" uuid NOT NULL,
	"subject_epoch" bigint NOT NULL,
	"server_epoch" bigint NOT NULL,
	"signed_in_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_failures" (
	"key_hash" "bytea" PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"window_ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signing_keys" (
	"kid" text PRIMARY KEY NOT NULL,
	"alg" text NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"private_jwe" text NOT NULL,
	"signing" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transitions" (
	"at" timestamp with time zone NOT NULL,
	"machine" text NOT NULL,
	"grant_id" uuid,
	"interaction_id" uuid,
	"event" text NOT NULL,
	"from_state" text NOT NULL,
	"to_state" text NOT NULL,
	"reason" text,
	"generation" bigint,
	"client_id" text NOT NULL,
	"policy" text
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"username" text NOT NULL,
	"username_key" text NOT NULL,
	"password_hash" text NOT NULL,
	"claims" jsonb NOT NULL,
	"epoch" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"disabled_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "consents" ADD CONSTRAINT "consents_subject_id_users_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "consents" ADD CONSTRAINT "consents_client_id_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_client_id_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_subject_id_users_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "interactions" ADD CONSTRAINT "interactions_client_id_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("client_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "interactions" ADD CONSTRAINT "interactions_subject_id_users_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_subject_id_users_id_fk" FOREIGN KEY ("subject_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "grants_interaction_id" ON "grants" USING btree ("interaction_id");--> statement-breakpoint
CREATE INDEX "grants_created_at" ON "grants" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "interactions_ends_at" ON "interactions" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "sessions_ends_at" ON "sessions" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "sign_in_failures_window_ends_at" ON "sign_in_failures" USING btree ("window_ends_at");--> statement-breakpoint
CREATE UNIQUE INDEX "signing_keys_one_signs" ON "signing_keys" USING btree ("alg") WHERE "signing_keys"."signing";--> statement-breakpoint
CREATE INDEX "transitions_grant_id" ON "transitions" USING btree ("grant_id","at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_username_key" ON "users" USING btree ("username_key");