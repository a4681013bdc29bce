CREATE TABLE "configured_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL,
	"sealed_value" text,
	"changed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "configured_secrets_version" CHECK ("configured_secrets"."version" > 0)
);
