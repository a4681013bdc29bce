ALTER TABLE "users" ADD COLUMN "sub" text;--> statement-breakpoint
CREATE UNIQUE INDEX "users_sub" ON "users" USING btree ("sub");--> statement-breakpoint
-- As the baseline has them; and an imported sub is no client_id either.
CREATE OR REPLACE FUNCTION "client_id_is_no_sub"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(9700, hashtext(lower(NEW.client_id)));
  IF EXISTS (SELECT FROM "public"."users" WHERE "sub" = NEW.client_id)
    OR NEW.client_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      AND EXISTS (SELECT FROM "public"."users" WHERE "id"::text = lower(NEW.client_id)) THEN
    PERFORM "public"."no_machine_allows"('a client_id is not the sub of an end-user', NEW.client_id, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sub_is_no_client_id"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(9700, hashtext(NEW.id::text));
  IF NEW.sub IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(9700, hashtext(lower(NEW.sub)));
  END IF;
  IF EXISTS (SELECT FROM "public"."clients" WHERE "client_id" IN (NEW.id::text, upper(NEW.id::text), NEW.sub)) THEN
    PERFORM "public"."no_machine_allows"('the sub of an end-user is not a client_id', coalesce(NEW.sub, NEW.id::text), TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sub_is_no_client_id" BEFORE INSERT OR UPDATE OF "id", "sub" ON "users"
  FOR EACH ROW EXECUTE FUNCTION "sub_is_no_client_id"();
