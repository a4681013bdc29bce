CREATE TABLE "ledger_retention" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"kept_days" integer NOT NULL,
	CONSTRAINT "ledger_retention_only" CHECK ("ledger_retention"."only")
);
--> statement-breakpoint
CREATE TABLE "ledger_seals" (
	"number" bigint PRIMARY KEY NOT NULL,
	"sealed_at" timestamp with time zone NOT NULL,
	"statement" text NOT NULL,
	"signature" text NOT NULL,
	"line_index" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "transitions" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "transitions" ADD COLUMN "account_hash" text;--> statement-breakpoint
ALTER TABLE "transitions" ADD COLUMN "begun_session_id" uuid;
--> statement-breakpoint
INSERT INTO "ledger_retention" ("kept_days") VALUES (90) ON CONFLICT DO NOTHING;
--> statement-breakpoint
-- As in 0024, with the time of "ledger_retention": the owner alone writes it (docs/decisions/0044).
CREATE OR REPLACE FUNCTION "keep_ledger_months_at"(at timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  kept interval := make_interval(days => coalesce((SELECT r.kept_days FROM "public"."ledger_retention" r), 90));
  month timestamptz;
  partition record;
BEGIN
  FOR ahead IN 0..2 LOOP
    month := date_trunc('month', at) + make_interval(months => ahead);
    BEGIN
      EXECUTE format('CREATE TABLE IF NOT EXISTS "public".%I PARTITION OF "public"."transitions" FOR VALUES FROM (%L) TO (%L)',
        'transitions_' || to_char(month, 'YYYY_MM'), month, month + interval '1 month');
    EXCEPTION
      -- Another node was first; or the default partition already has lines of this month, and keeps them.
      WHEN duplicate_table OR unique_violation OR check_violation THEN NULL;
    END;
  END LOOP;
  FOR partition IN
    SELECT c.relname AS name, to_date(right(c.relname, 7), 'YYYY_MM')::timestamptz + interval '1 month' AS ends,
      EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'transitions_is_not_emptied') AS held
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = '"public"."transitions"'::regclass AND c.relname ~ '^transitions_\d{4}_\d{2}$'
  LOOP
    IF partition.ends <= at - kept THEN
      BEGIN
        -- A drop that waits would make every commit wait behind it. The next round tries again.
        SET LOCAL lock_timeout = '1s';
        EXECUTE format('DROP TABLE IF EXISTS "public".%I', partition.name);
      EXCEPTION
        WHEN lock_not_available THEN NULL;
      END;
    ELSIF NOT partition.held THEN
      -- Partitions inherit row triggers, but each needs its own trigger on TRUNCATE.
      EXECUTE format('CREATE OR REPLACE TRIGGER "transitions_is_not_emptied" BEFORE TRUNCATE ON "public".%I '
        'FOR EACH STATEMENT EXECUTE FUNCTION "public"."transitions_is_not_emptied"()', partition.name);
    END IF;
  END LOOP;
  -- Stretches go from the oldest on, once the month in which they were closed is over for as long. The newest stays: the next is chained to it.
  DELETE FROM "public"."ledger_seals" s
    WHERE s.number < (SELECT max(n.number) FROM "public"."ledger_seals" n)
      AND s.number < coalesce((SELECT min(k.number) FROM "public"."ledger_seals" k
        WHERE date_trunc('month', k.sealed_at) + interval '1 month' > at - kept), s.number + 1);
END
$$;
