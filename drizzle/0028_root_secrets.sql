CREATE TABLE "root_secrets" (
	"key_id" text PRIMARY KEY NOT NULL,
	"makes_until" timestamp with time zone,
	"sealed_recovery_code_key" text
);
