-- RFC 9700 §4.15: no client may be confused with an end-user. A token of a client has its client_id as its sub (RFC 9068 §2.2), so no
-- client_id is the sub of an end-user, in either order of registration. The lock makes two registrations at once wait for each other.
CREATE FUNCTION "client_id_is_no_sub"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.client_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
    PERFORM pg_advisory_xact_lock(9700, hashtext(lower(NEW.client_id)));
    IF EXISTS (SELECT FROM "public"."users" WHERE "id" = NEW.client_id::uuid) THEN
      PERFORM "public"."no_machine_allows"('a client_id is not the sub of an end-user', NEW.client_id, TG_NAME, TG_OP, TG_TABLE_NAME);
    END IF;
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER "client_id_is_no_sub" BEFORE INSERT OR UPDATE OF "client_id" ON "clients"
  FOR EACH ROW EXECUTE FUNCTION "client_id_is_no_sub"();--> statement-breakpoint
CREATE FUNCTION "sub_is_no_client_id"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(9700, hashtext(NEW.id::text));
  IF EXISTS (SELECT FROM "public"."clients" WHERE "client_id" IN (NEW.id::text, upper(NEW.id::text))) THEN
    PERFORM "public"."no_machine_allows"('the sub of an end-user is not a client_id', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER "sub_is_no_client_id" BEFORE INSERT OR UPDATE OF "id" ON "users"
  FOR EACH ROW EXECUTE FUNCTION "sub_is_no_client_id"();
