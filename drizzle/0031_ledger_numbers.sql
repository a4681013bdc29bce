-- An entry has the number of the transaction that writes it, and the time of now; a seal has the next number. With other numbers, an entry would be in no
-- segment, and sealing would end behind a row that no server wrote. An entry as every server writes it does not call the function.
CREATE OR REPLACE FUNCTION "ledger_entry_is_of_now"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.recorded_in <> pg_current_xact_id() THEN
    RAISE EXCEPTION USING ERRCODE = 'SH001', MESSAGE = 'an entry of the ledger has the number of the transaction that writes it: ' || TG_OP || ' on ' || TG_TABLE_NAME || ' is refused', HINT = 'docs/deploying.md, "What the database holds".',
      CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  -- The owner of the tables may write entries of another time, as tests do.
  IF NOT pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID), 'MEMBER') THEN
    RAISE EXCEPTION USING ERRCODE = 'SH001', MESSAGE = 'an entry of the ledger has the time of now: ' || TG_OP || ' on ' || TG_TABLE_NAME || ' is refused', HINT = 'docs/deploying.md, "What the database holds".', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "transitions_is_of_now" BEFORE INSERT ON "transitions" FOR EACH ROW
  WHEN (NEW.recorded_in <> pg_current_xact_id() OR NEW.at NOT BETWEEN now() - interval '1 day' AND now() + interval '1 day')
  EXECUTE FUNCTION "ledger_entry_is_of_now"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "ledger_seal_follows"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Two nodes may try the same number: the primary key lets one of them have it.
  IF EXISTS (SELECT FROM "public"."ledger_seals" s WHERE s.number = NEW.number) THEN
    RETURN NEW;
  END IF;
  IF NEW.number < 1 OR NEW.number > 9007199254740990
    OR NOT (EXISTS (SELECT FROM "public"."ledger_seals" s WHERE s.number = NEW.number - 1)
      OR (NEW.number = 1 AND NOT EXISTS (SELECT FROM "public"."ledger_seals"))) THEN
    RAISE EXCEPTION USING ERRCODE = 'SH001', MESSAGE = 'a seal of the ledger has the number after another: ' || TG_OP || ' on ' || TG_TABLE_NAME || ' is refused', HINT = 'docs/deploying.md, "What the database holds".',
      CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  -- Retention goes by this time.
  IF NEW.sealed_at NOT BETWEEN now() - interval '1 day' AND now() + interval '1 day'
    AND NOT pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID), 'MEMBER') THEN
    RAISE EXCEPTION USING ERRCODE = 'SH001', MESSAGE = 'a seal of the ledger has the time of now: ' || TG_OP || ' on ' || TG_TABLE_NAME || ' is refused', HINT = 'docs/deploying.md, "What the database holds".', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "ledger_seals_follows" BEFORE INSERT ON "ledger_seals" FOR EACH ROW
  EXECUTE FUNCTION "ledger_seal_follows"();
