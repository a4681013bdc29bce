CREATE TABLE "used_jtis" (
	"hash" text PRIMARY KEY NOT NULL,
	"used_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "used_jtis_ends_at" ON "used_jtis" USING btree ("ends_at");