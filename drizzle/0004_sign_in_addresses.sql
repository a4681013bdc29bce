ALTER TABLE "server" ADD COLUMN "addresses_identify" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "sign_in_address" text;--> statement-breakpoint
CREATE UNIQUE INDEX "users_sign_in_address" ON "users" USING btree ("sign_in_address");--> statement-breakpoint
-- Usernames and sign-in addresses are one space of names: what identifies one end-user never identifies another. The texts are locked in one order.
-- Another end-user with the text is a conflict like one of a unique index, so that the server loads and decides again. A deleted end-user has
-- no address, also where a node of the version before, which does not know the column, deletes one.
CREATE FUNCTION "an_identifier_is_of_one_user"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  typed text;
BEGIN
  IF NEW.deleted_at IS NOT NULL THEN
    NEW.sign_in_address := NULL;
    RETURN NEW;
  END IF;
  FOR typed IN SELECT DISTINCT t FROM unnest(ARRAY[NEW.sign_in_address, NEW.username_key]) t WHERE t LIKE '%@%' ORDER BY t LOOP
    PERFORM pg_advisory_xact_lock(9701, hashtext(typed));
  END LOOP;
  IF EXISTS (SELECT FROM "public"."users" WHERE "id" <> NEW.id AND "username_key" = NEW.sign_in_address)
    OR EXISTS (SELECT FROM "public"."users" WHERE "id" <> NEW.id AND "sign_in_address" = NEW.username_key) THEN
    RAISE EXCEPTION 'another end-user has this username or address: % on % is refused', TG_OP, TG_TABLE_NAME
      USING ERRCODE = 'unique_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME, HINT = 'docs/deploying.md, "What the database holds".';
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "an_identifier_is_of_one_user" BEFORE INSERT OR UPDATE OF "username_key", "sign_in_address", "deleted_at" ON "users"
  FOR EACH ROW EXECUTE FUNCTION "an_identifier_is_of_one_user"();
