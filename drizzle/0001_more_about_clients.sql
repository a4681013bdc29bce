ALTER TABLE "clients" ADD COLUMN "consent" text DEFAULT 'ask' NOT NULL;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "client_uri" text;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "initiate_login_uri" text;