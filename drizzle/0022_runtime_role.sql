-- The months of the ledger, for a server whose role does not own the tables (docs/decisions/0042). The role may call
-- "keep_ledger_months" alone, which takes nothing: so it can neither choose a table, nor drop a month before its time.
CREATE OR REPLACE FUNCTION "keep_ledger_months_at"(at timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
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
    IF partition.ends <= at - interval '90 days' THEN
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
END
$$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "keep_ledger_months_at"(timestamptz) FROM PUBLIC;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "keep_ledger_months"() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT "public"."keep_ledger_months_at"(now());
$$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "keep_ledger_months"() FROM PUBLIC;
