-- As in 0025, without waiting for readers of the ledger: a month that is there takes no lock. A month that is missing is made as a table of its own and then
-- attached, for which the ledger is locked against other changes of its partitions alone, and the empty default partition for a moment.
CREATE OR REPLACE FUNCTION "keep_ledger_months_at"(at timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET lock_timeout = '250ms' AS $$
DECLARE
  kept interval := make_interval(days => coalesce((SELECT r.kept_days FROM "public"."ledger_retention" r), 90));
  month timestamptz;
  ends timestamptz;
  name text;
  partition record;
BEGIN
  FOR ahead IN 0..2 LOOP
    month := date_trunc('month', at) + make_interval(months => ahead);
    ends := month + interval '1 month';
    name := 'transitions_' || to_char(month, 'YYYY_MM');
    CONTINUE WHEN EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = '"public"."transitions"'::regclass AND c.relname = name);
    BEGIN
      -- The default partition keeps them until "statehouse migrate" moves them: no attempt could succeed.
      CONTINUE WHEN EXISTS (SELECT FROM "public"."transitions_default" d WHERE d.at >= month AND d.at < ends);
      EXECUTE format('CREATE TABLE "public".%I (LIKE "public"."transitions" INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
      EXECUTE format('ALTER TABLE "public"."transitions" ATTACH PARTITION "public".%I FOR VALUES FROM (%L) TO (%L)', name, month, ends);
    EXCEPTION
      -- Another node was first, an entry of this month came meanwhile, or the partitions are being read: the next round tries again.
      WHEN duplicate_table OR unique_violation OR check_violation OR lock_not_available OR deadlock_detected THEN NULL;
    END;
  END LOOP;
  FOR partition IN
    SELECT c.relname AS name, to_date(right(c.relname, 7), 'YYYY_MM')::timestamptz + interval '1 month' AS ends,
      EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'transitions_is_not_emptied') AS held
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = '"public"."transitions"'::regclass AND c.relname ~ '^transitions_\d{4}_\d{2}$'
  LOOP
    BEGIN
      IF partition.ends <= at - kept THEN
        EXECUTE format('DROP TABLE IF EXISTS "public".%I', partition.name);
      ELSIF NOT partition.held THEN
        -- Partitions inherit row triggers, but each needs its own trigger on TRUNCATE.
        EXECUTE format('CREATE OR REPLACE TRIGGER "transitions_is_not_emptied" BEFORE TRUNCATE ON "public".%I '
          'FOR EACH STATEMENT EXECUTE FUNCTION "public"."transitions_is_not_emptied"()', partition.name);
      END IF;
    EXCEPTION
      -- A change that waits would make every commit wait behind it. The next round tries again.
      WHEN lock_not_available OR deadlock_detected THEN NULL;
    END;
  END LOOP;
  -- Stretches go from the oldest on, once the month in which they were closed is over for as long. The newest stays: the next is chained to it.
  BEGIN
    DELETE FROM "public"."ledger_seals" s
      WHERE s.number < (SELECT max(n.number) FROM "public"."ledger_seals" n)
        AND s.number < coalesce((SELECT min(k.number) FROM "public"."ledger_seals" k
          WHERE date_trunc('month', k.sealed_at) + interval '1 month' > at - kept), s.number + 1);
  EXCEPTION
    -- Another node removes them.
    WHEN lock_not_available OR deadlock_detected THEN NULL;
  END;
END
$$;
--> statement-breakpoint
-- Entries that are in no partition of a month, up to 1000: retention does not reach them. For the role of a server, which reads the ledger as a whole.
CREATE OR REPLACE FUNCTION "ledger_default_entries"() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT count(*) FROM (SELECT FROM "public"."transitions_default" LIMIT 1000) d;
$$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "ledger_default_entries"() FROM PUBLIC;
