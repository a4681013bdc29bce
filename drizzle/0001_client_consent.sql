ALTER TABLE "clients" ADD COLUMN "consent" text DEFAULT 'ask' NOT NULL;
