ALTER TABLE "clients" ADD COLUMN "require_signed_request_object" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "request_object_signing_alg" text;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "authorization_signed_response_alg" text;