ALTER TABLE "clients" ADD COLUMN "tls_client_auth_subject_dn" text;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "tls_client_auth_san_dns" text;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "tls_client_auth_san_uri" text;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "tls_client_auth_san_ip" text;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "tls_client_auth_san_email" text;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "tls_client_certificate_bound_access_tokens" boolean DEFAULT false NOT NULL;