ALTER TABLE "clients" ADD COLUMN "workload_issuer" text;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "workload_subject" text;