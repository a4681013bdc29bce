-- Signing keys have a lifecycle: published → signing → retiring → retired.
DROP INDEX "signing_keys_one_signs";--> statement-breakpoint
ALTER TABLE "signing_keys" ALTER COLUMN "private_jwe" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "signing_keys" ADD COLUMN "state" text;--> statement-breakpoint
ALTER TABLE "signing_keys" ADD COLUMN "may_sign_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "signing_keys" ADD COLUMN "began_signing_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "signing_keys" ADD COLUMN "rotation_asked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "signing_keys" ADD COLUMN "stopped_signing_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "signing_keys" ADD COLUMN "retired_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "signing_keys" ADD COLUMN "retired_reason" text;--> statement-breakpoint
-- Keys that are there: the signers go on signing; another one signs no more, so its private half goes.
UPDATE "signing_keys" SET
  "state" = CASE WHEN "signing" THEN 'signing' ELSE 'retiring' END,
  "may_sign_at" = "created_at",
  "began_signing_at" = "created_at",
  "stopped_signing_at" = CASE WHEN "signing" THEN NULL ELSE now() END,
  "private_jwe" = CASE WHEN "signing" THEN "private_jwe" END;--> statement-breakpoint
ALTER TABLE "signing_keys" ALTER COLUMN "state" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "signing_keys" ALTER COLUMN "may_sign_at" SET NOT NULL;--> statement-breakpoint
-- Nodes of the version before read this column, and run beside this version during an upgrade.
ALTER TABLE "signing_keys" DROP COLUMN "signing";--> statement-breakpoint
ALTER TABLE "signing_keys" ADD COLUMN "signing" boolean GENERATED ALWAYS AS (state = 'signing') STORED;--> statement-breakpoint
ALTER TABLE "signing_keys" ADD CONSTRAINT "signing_keys_state" CHECK ("signing_keys"."state" in ('published', 'signing', 'retiring', 'retired'));--> statement-breakpoint
ALTER TABLE "signing_keys" ADD CONSTRAINT "signing_keys_private_part" CHECK (("signing_keys"."state" in ('published', 'signing')) = ("signing_keys"."private_jwe" is not null));--> statement-breakpoint
ALTER TABLE "signing_keys" ADD CONSTRAINT "signing_keys_began" CHECK ("signing_keys"."state" <> 'signing' or "signing_keys"."began_signing_at" is not null);--> statement-breakpoint
ALTER TABLE "signing_keys" ADD CONSTRAINT "signing_keys_stopped" CHECK ("signing_keys"."state" <> 'retiring' or "signing_keys"."stopped_signing_at" is not null);--> statement-breakpoint
ALTER TABLE "signing_keys" ADD CONSTRAINT "signing_keys_retired_has_reason" CHECK (("signing_keys"."state" = 'retired') = ("signing_keys"."retired_reason" is not null and "signing_keys"."retired_at" is not null));--> statement-breakpoint
-- However many nodes there are: of each algorithm one key signs, and one waits. A handover moves two rows in one statement, and
-- an index that is checked row by row would refuse it or not depending on their order. DEFERRABLE means: checked at the end of
-- the statement, so a commit that would break it is answered with an error, not with a success that fails later.
ALTER TABLE "signing_keys" ADD CONSTRAINT "signing_keys_one_signs_one_waits"
  EXCLUDE USING btree ("alg" WITH =, "state" WITH =) WHERE ("state" IN ('published', 'signing'))
  DEFERRABLE INITIALLY IMMEDIATE;
