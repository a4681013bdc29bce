-- Revision 16
-- Made from the machines by "npm run machines:build" (src/review/sql/), and never edited. "statehouse migrate" applies this file as a whole
-- when its digest is another than the one in drizzle.triggers, and its revision no lower. Conditions stand in functions and not in WHEN: Postgres
-- copies and parses every WHEN of a table for every statement that writes to it, and keeps functions ready.

CREATE OR REPLACE FUNCTION "no_machine_allows"(says text, key text, rule text, operation text, relation text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'SH001', MESSAGE = says || ': ' || operation || ' on ' || relation || ' is refused',
    DETAIL = coalesce('The row is ' || key || '.', ''), HINT = 'docs/deploying.md, "What the database holds".',
    CONSTRAINT = rule, TABLE = relation;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sessions_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (NEW.state IN ('awaitingSecondFactor', 'active')) THEN
    PERFORM "public"."no_machine_allows"('a session begins in the first state of its machine or as active, with no end', NEW.sid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sessions_begins_with_its_machine" AFTER INSERT ON "sessions"
  FOR EACH ROW EXECUTE FUNCTION "sessions_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sessions_keeps_what_signed_in"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.sid, NEW.user_id, NEW.user_epoch, NEW.server_epoch, NEW.signed_in_at, NEW.sign_in_time_is_known, NEW.user_agent) IS DISTINCT FROM (OLD.sid, OLD.user_id, OLD.user_epoch, OLD.server_epoch, OLD.signed_in_at, OLD.sign_in_time_is_known, OLD.user_agent)) THEN
    PERFORM "public"."no_machine_allows"('a session stays that of its sign-in', OLD.sid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sessions_keeps_what_signed_in" AFTER UPDATE OF sid, user_id, user_epoch, server_epoch, signed_in_at, sign_in_time_is_known, user_agent ON "sessions"
  FOR EACH ROW EXECUTE FUNCTION "sessions_keeps_what_signed_in"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sessions_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'awaitingSecondFactor' AND NEW.state = 'active') OR (OLD.state = 'awaitingSecondFactor' AND NEW.state = 'ended') OR (OLD.state = 'active' AND NEW.state = 'ended')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the session machine leads there', OLD.sid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sessions_moves_with_its_machine" AFTER UPDATE OF state ON "sessions"
  FOR EACH ROW EXECUTE FUNCTION "sessions_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sessions_is_renewed_with_a_factor"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (NEW.state IN ('active')) AND ((NEW.id_hash, NEW.amr) IS DISTINCT FROM (OLD.id_hash, OLD.amr))
    OR (OLD.state IN ('ended')) AND ((NEW.id_hash, NEW.amr) IS DISTINCT FROM (OLD.id_hash, OLD.amr))
    OR NOT (NEW.amr @> OLD.amr)
    OR NEW.id_hash = OLD.id_hash AND (NEW.amr IS DISTINCT FROM OLD.amr)
    OR OLD.state = 'awaitingSecondFactor' AND NEW.state = 'active' AND NEW.id_hash = OLD.id_hash THEN
    PERFORM "public"."no_machine_allows"('a further factor renews the cookie of a session that lives, and no method of the sign-in is lost', OLD.sid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sessions_is_renewed_with_a_factor" AFTER UPDATE OF state, id_hash, amr ON "sessions"
  FOR EACH ROW EXECUTE FUNCTION "sessions_is_renewed_with_a_factor"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sessions_ends_once_with_a_reason"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.state = 'awaitingSecondFactor' AND NEW.state = 'active' AND ((NEW.ended_reason, NEW.ends_at) IS DISTINCT FROM (OLD.ended_reason, OLD.ends_at))
    OR NEW.state = OLD.state AND ((NEW.ended_reason, NEW.ends_at) IS DISTINCT FROM (OLD.ended_reason, OLD.ends_at))
    OR NEW.ends_at > OLD.ends_at
    OR OLD.state = 'awaitingSecondFactor' AND NEW.state = 'ended' AND NOT coalesce((NEW.ended_reason IN ('session_too_old', 'second_factor_missing', 'signed_out', 'ended_by_user', 'ended_by_administrator', 'signed_in_again')), false)
    OR OLD.state = 'active' AND NEW.state = 'ended' AND NOT coalesce((NEW.ended_reason IN ('session_too_old', 'session_idle', 'signed_out', 'ended_by_user', 'ended_by_administrator', 'signed_in_again')), false) THEN
    PERFORM "public"."no_machine_allows"('a session ends once, with a reason that its machine writes, and never later than before', OLD.sid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sessions_ends_once_with_a_reason" AFTER UPDATE OF ended_reason, ends_at ON "sessions"
  FOR EACH ROW EXECUTE FUNCTION "sessions_ends_once_with_a_reason"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sessions_is_used_while_active"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.last_used_at < OLD.last_used_at
    OR (OLD.state IN ('ended')) AND (NEW.last_used_at IS DISTINCT FROM OLD.last_used_at) THEN
    PERFORM "public"."no_machine_allows"('a session is used forward in time, and while it lives', OLD.sid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sessions_is_used_while_active" AFTER UPDATE OF last_used_at ON "sessions"
  FOR EACH ROW EXECUTE FUNCTION "sessions_is_used_while_active"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "email_challenges_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (NEW.state IN ('active'))
    OR NEW.newer_links <> 0 THEN
    PERFORM "public"."no_machine_allows"('a link is stored as active, and is the newest', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "email_challenges_begins_with_its_machine" AFTER INSERT ON "email_challenges"
  FOR EACH ROW EXECUTE FUNCTION "email_challenges_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "email_challenges_counts_newer_links"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (NEW.newer_links IS DISTINCT FROM OLD.newer_links) AND NOT (NEW.state = 'active' AND NEW.newer_links = OLD.newer_links + 1) THEN
    PERFORM "public"."no_machine_allows"('newer links are counted one by one while a link is active', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "email_challenges_counts_newer_links" AFTER UPDATE OF newer_links ON "email_challenges"
  FOR EACH ROW EXECUTE FUNCTION "email_challenges_counts_newer_links"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "email_challenges_keeps_what_was_sent"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.purpose, NEW.secret_hash, NEW.person, NEW.user_id, NEW.user_epoch, NEW.address, NEW.sent_by, NEW.goes_on_path, NEW.goes_on_browser_hash, NEW.created_at, NEW.ends_at) IS DISTINCT FROM (OLD.id, OLD.purpose, OLD.secret_hash, OLD.person, OLD.user_id, OLD.user_epoch, OLD.address, OLD.sent_by, OLD.goes_on_path, OLD.goes_on_browser_hash, OLD.created_at, OLD.ends_at)) THEN
    PERFORM "public"."no_machine_allows"('what was sent does not change', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "email_challenges_keeps_what_was_sent" AFTER UPDATE OF id, purpose, secret_hash, person, user_id, user_epoch, address, sent_by, goes_on_path, goes_on_browser_hash, created_at, ends_at ON "email_challenges"
  FOR EACH ROW EXECUTE FUNCTION "email_challenges_keeps_what_was_sent"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "email_challenges_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'unsent' AND NEW.state = 'active') OR (OLD.state = 'active' AND NEW.state = 'used') OR (OLD.state = 'active' AND NEW.state = 'superseded')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the email-challenge machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "email_challenges_moves_with_its_machine" AFTER UPDATE OF state ON "email_challenges"
  FOR EACH ROW EXECUTE FUNCTION "email_challenges_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "email_challenges_superseded_with_a_reason"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state = OLD.state AND (NEW.superseded_reason IS DISTINCT FROM OLD.superseded_reason)
    OR OLD.state = 'active' AND NEW.state = 'superseded' AND NOT coalesce((NEW.superseded_reason IN ('newer_link_sent', 'another_link_used', 'withdrawn', 'change_undone')), false) THEN
    PERFORM "public"."no_machine_allows"('a link is superseded once, with a reason that its machine writes', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "email_challenges_superseded_with_a_reason" AFTER UPDATE OF state, superseded_reason ON "email_challenges"
  FOR EACH ROW EXECUTE FUNCTION "email_challenges_superseded_with_a_reason"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "passkeys_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (NEW.state IN ('active')) THEN
    PERFORM "public"."no_machine_allows"('a passkey is stored with its registration', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "passkeys_begins_with_its_machine" AFTER INSERT ON "passkeys"
  FOR EACH ROW EXECUTE FUNCTION "passkeys_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "passkeys_keeps_its_owner"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.user_id, NEW.credential_id, NEW.backup_eligible, NEW.transports, NEW.created_at) IS DISTINCT FROM (OLD.id, OLD.user_id, OLD.credential_id, OLD.backup_eligible, OLD.transports, OLD.created_at)) THEN
    PERFORM "public"."no_machine_allows"('a passkey stays that of its end-user', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "passkeys_keeps_its_owner" AFTER UPDATE OF id, user_id, credential_id, backup_eligible, transports, created_at ON "passkeys"
  FOR EACH ROW EXECUTE FUNCTION "passkeys_keeps_its_owner"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "passkeys_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'unregistered' AND NEW.state = 'active') OR (OLD.state = 'active' AND NEW.state = 'removed')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the passkey machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "passkeys_moves_with_its_machine" AFTER UPDATE OF state ON "passkeys"
  FOR EACH ROW EXECUTE FUNCTION "passkeys_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "passkeys_counter_rises"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.counter < OLD.counter THEN
    PERFORM "public"."no_machine_allows"('the signature counter of a passkey only rises', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "passkeys_counter_rises" AFTER UPDATE OF counter ON "passkeys"
  FOR EACH ROW EXECUTE FUNCTION "passkeys_counter_rises"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "passkeys_removed_stays_removed"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.public_key IS NULL AND NEW.public_key IS NOT NULL
    OR (OLD.state IN ('removed')) AND ((NEW.removed_at, NEW.name) IS DISTINCT FROM (OLD.removed_at, OLD.name)) THEN
    PERFORM "public"."no_machine_allows"('what was removed does not come back', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "passkeys_removed_stays_removed" AFTER UPDATE OF public_key, removed_at, name ON "passkeys"
  FOR EACH ROW EXECUTE FUNCTION "passkeys_removed_stays_removed"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "passkeys_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('passkeys are removed one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "passkeys_is_not_emptied" BEFORE TRUNCATE ON "passkeys"
  FOR EACH STATEMENT EXECUTE FUNCTION "passkeys_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "linked_identities_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (NEW.state IN ('active')) THEN
    PERFORM "public"."no_machine_allows"('an identity begins as linked', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "linked_identities_begins_with_its_machine" AFTER INSERT ON "linked_identities"
  FOR EACH ROW EXECUTE FUNCTION "linked_identities_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "linked_identities_keeps_what_was_linked"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.user_id, NEW.issuer, NEW.subject, NEW.provider, NEW.linked_at) IS DISTINCT FROM (OLD.id, OLD.user_id, OLD.issuer, OLD.subject, OLD.provider, OLD.linked_at)) THEN
    PERFORM "public"."no_machine_allows"('an identity stays that of its end-user and of its account', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "linked_identities_keeps_what_was_linked" AFTER UPDATE OF id, user_id, issuer, subject, provider, linked_at ON "linked_identities"
  FOR EACH ROW EXECUTE FUNCTION "linked_identities_keeps_what_was_linked"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "linked_identities_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'active' AND NEW.state = 'removed')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the linked identity machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "linked_identities_moves_with_its_machine" AFTER UPDATE OF state ON "linked_identities"
  FOR EACH ROW EXECUTE FUNCTION "linked_identities_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "linked_identities_ends_once_with_a_reason"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state = OLD.state AND ((NEW.removed_at, NEW.removed_reason) IS DISTINCT FROM (OLD.removed_at, OLD.removed_reason))
    OR OLD.state = 'active' AND NEW.state = 'removed' AND NOT coalesce((NEW.removed_reason IN ('removed_by_user', 'removed_by_administrator', 'user_deleted')), false) THEN
    PERFORM "public"."no_machine_allows"('an identity is removed once, with an instant and a reason that its machine writes', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "linked_identities_ends_once_with_a_reason" AFTER UPDATE OF removed_at, removed_reason ON "linked_identities"
  FOR EACH ROW EXECUTE FUNCTION "linked_identities_ends_once_with_a_reason"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "linked_identities_stays_until_it_is_removed"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (OLD.state IN ('removed')) THEN
    PERFORM "public"."no_machine_allows"('an identity stays until it is removed', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "linked_identities_stays_until_it_is_removed" AFTER DELETE ON "linked_identities"
  FOR EACH ROW EXECUTE FUNCTION "linked_identities_stays_until_it_is_removed"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "linked_identities_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('identities are removed one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "linked_identities_is_not_emptied" BEFORE TRUNCATE ON "linked_identities"
  FOR EACH STATEMENT EXECUTE FUNCTION "linked_identities_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "consents_keeps_whose_it_is"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.user_id, NEW.client_id, NEW.resources) IS DISTINCT FROM (OLD.id, OLD.user_id, OLD.client_id, OLD.resources)) THEN
    PERFORM "public"."no_machine_allows"('a consent stays that of its end-user and client', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "consents_keeps_whose_it_is" AFTER UPDATE OF id, user_id, client_id, resources ON "consents"
  FOR EACH ROW EXECUTE FUNCTION "consents_keeps_whose_it_is"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "second_factors_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> 'unconfirmed'
    OR NEW.last_step IS NOT NULL THEN
    PERFORM "public"."no_machine_allows"('a second factor begins in the first state of its machine', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "second_factors_begins_with_its_machine" AFTER INSERT ON "second_factors"
  FOR EACH ROW EXECUTE FUNCTION "second_factors_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "second_factors_keeps_its_owner"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.user_id, NEW.created_at) IS DISTINCT FROM (OLD.id, OLD.user_id, OLD.created_at)) THEN
    PERFORM "public"."no_machine_allows"('a second factor stays that of its end-user', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "second_factors_keeps_its_owner" AFTER UPDATE OF id, user_id, created_at ON "second_factors"
  FOR EACH ROW EXECUTE FUNCTION "second_factors_keeps_its_owner"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "second_factors_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'unconfirmed' AND NEW.state = 'active') OR (OLD.state = 'unconfirmed' AND NEW.state = 'removed') OR (OLD.state = 'active' AND NEW.state = 'removed')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the second-factor machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "second_factors_moves_with_its_machine" AFTER UPDATE OF state ON "second_factors"
  FOR EACH ROW EXECUTE FUNCTION "second_factors_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "second_factors_accepts_a_code_once"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.last_step IS NOT NULL AND (NEW.last_step IS NULL OR NEW.last_step < OLD.last_step)
    OR (OLD.state IN ('removed')) AND (NEW.last_step IS DISTINCT FROM OLD.last_step) THEN
    PERFORM "public"."no_machine_allows"('the time step of a second factor only rises, while the factor lives', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "second_factors_accepts_a_code_once" AFTER UPDATE OF last_step ON "second_factors"
  FOR EACH ROW EXECUTE FUNCTION "second_factors_accepts_a_code_once"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "second_factors_removed_stays_removed"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.sealed_secret IS NULL AND NEW.sealed_secret IS NOT NULL
    OR (OLD.state IN ('removed')) AND (NEW.removed_at IS DISTINCT FROM OLD.removed_at) THEN
    PERFORM "public"."no_machine_allows"('what was removed does not come back', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "second_factors_removed_stays_removed" AFTER UPDATE OF sealed_secret, removed_at ON "second_factors"
  FOR EACH ROW EXECUTE FUNCTION "second_factors_removed_stays_removed"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "second_factors_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('second factors are removed one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "second_factors_is_not_emptied" BEFORE TRUNCATE ON "second_factors"
  FOR EACH STATEMENT EXECUTE FUNCTION "second_factors_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "mails_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> 'pending'
    OR NEW.attempts <> 0 THEN
    PERFORM "public"."no_machine_allows"('a mail begins in the first state of its machine, with no attempt', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "mails_begins_with_its_machine" AFTER INSERT ON "mails"
  FOR EACH ROW EXECUTE FUNCTION "mails_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "mails_keeps_what_was_written"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.purpose, NEW.domain_hash, NEW.user_id, NEW.gives_up_at, NEW.created_at) IS DISTINCT FROM (OLD.id, OLD.purpose, OLD.domain_hash, OLD.user_id, OLD.gives_up_at, OLD.created_at)) THEN
    PERFORM "public"."no_machine_allows"('a mail stays that of its recipient', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "mails_keeps_what_was_written" AFTER UPDATE OF id, purpose, domain_hash, user_id, gives_up_at, created_at ON "mails"
  FOR EACH ROW EXECUTE FUNCTION "mails_keeps_what_was_written"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "mails_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'pending' AND NEW.state = 'dropped') OR (OLD.state = 'pending' AND NEW.state = 'sent') OR (OLD.state = 'dropped' AND NEW.state = 'sent')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the mail machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "mails_moves_with_its_machine" AFTER UPDATE OF state ON "mails"
  FOR EACH ROW EXECUTE FUNCTION "mails_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "mails_ends_once_with_a_reason"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state = OLD.state AND ((NEW.ended_at, NEW.drop_reason) IS DISTINCT FROM (OLD.ended_at, OLD.drop_reason))
    OR OLD.state = 'pending' AND NEW.state = 'dropped' AND NOT coalesce((NEW.drop_reason IN ('attempts_used_up', 'too_old', 'refused', 'queue_full')), false) THEN
    PERFORM "public"."no_machine_allows"('a mail ends with its state, and is dropped for a reason that its machine writes', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "mails_ends_once_with_a_reason" AFTER UPDATE OF ended_at, drop_reason ON "mails"
  FOR EACH ROW EXECUTE FUNCTION "mails_ends_once_with_a_reason"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "mails_is_attempted_while_pending"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.state <> 'pending' AND (NEW.attempts IS DISTINCT FROM OLD.attempts)
    OR NEW.attempts NOT IN (OLD.attempts, OLD.attempts + 1) THEN
    PERFORM "public"."no_machine_allows"('only a pending mail is attempted, and attempts are counted by one', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "mails_is_attempted_while_pending" AFTER UPDATE OF attempts ON "mails"
  FOR EACH ROW EXECUTE FUNCTION "mails_is_attempted_while_pending"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "mails_contents_are_only_erased"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.sealed_contents IS NOT NULL AND (NEW.sealed_contents IS DISTINCT FROM OLD.sealed_contents) THEN
    PERFORM "public"."no_machine_allows"('the contents of a mail stay as they are, and are erased with its end', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "mails_contents_are_only_erased" AFTER UPDATE OF sealed_contents ON "mails"
  FOR EACH ROW EXECUTE FUNCTION "mails_contents_are_only_erased"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "mails_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('mails end one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "mails_is_not_emptied" BEFORE TRUNCATE ON "mails"
  FOR EACH STATEMENT EXECUTE FUNCTION "mails_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "recovery_codes_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> 'active' THEN
    PERFORM "public"."no_machine_allows"('a recovery code begins in the first state of its machine', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "recovery_codes_begins_with_its_machine" AFTER INSERT ON "recovery_codes"
  FOR EACH ROW EXECUTE FUNCTION "recovery_codes_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "recovery_codes_keeps_its_owner"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.user_id, NEW.code_hash, NEW.created_at) IS DISTINCT FROM (OLD.id, OLD.user_id, OLD.code_hash, OLD.created_at)) THEN
    PERFORM "public"."no_machine_allows"('a recovery code stays that of its end-user', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "recovery_codes_keeps_its_owner" AFTER UPDATE OF id, user_id, code_hash, created_at ON "recovery_codes"
  FOR EACH ROW EXECUTE FUNCTION "recovery_codes_keeps_its_owner"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "recovery_codes_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'active' AND NEW.state = 'used') OR (OLD.state = 'active' AND NEW.state = 'replaced')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the recovery-code machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "recovery_codes_moves_with_its_machine" AFTER UPDATE OF state ON "recovery_codes"
  FOR EACH ROW EXECUTE FUNCTION "recovery_codes_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "recovery_codes_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('recovery codes end one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "recovery_codes_is_not_emptied" BEFORE TRUNCATE ON "recovery_codes"
  FOR EACH STATEMENT EXECUTE FUNCTION "recovery_codes_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "trusted_browsers_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (NEW.state IN ('active')) THEN
    PERFORM "public"."no_machine_allows"('a trusted browser is stored with its first proof', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "trusted_browsers_begins_with_its_machine" AFTER INSERT ON "trusted_browsers"
  FOR EACH ROW EXECUTE FUNCTION "trusted_browsers_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "trusted_browsers_keeps_its_owner"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.user_id, NEW.user_epoch, NEW.server_epoch, NEW.factor_id, NEW.user_agent, NEW.created_at, NEW.ends_at) IS DISTINCT FROM (OLD.id, OLD.user_id, OLD.user_epoch, OLD.server_epoch, OLD.factor_id, OLD.user_agent, OLD.created_at, OLD.ends_at)) THEN
    PERFORM "public"."no_machine_allows"('a trusted browser stays that of its end-user and its factor', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "trusted_browsers_keeps_its_owner" AFTER UPDATE OF id, user_id, user_epoch, server_epoch, factor_id, user_agent, created_at, ends_at ON "trusted_browsers"
  FOR EACH ROW EXECUTE FUNCTION "trusted_browsers_keeps_its_owner"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "trusted_browsers_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'requested' AND NEW.state = 'active') OR (OLD.state = 'active' AND NEW.state = 'ended')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the trusted-browser machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "trusted_browsers_moves_with_its_machine" AFTER UPDATE OF state ON "trusted_browsers"
  FOR EACH ROW EXECUTE FUNCTION "trusted_browsers_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "trusted_browsers_stays_ended"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.secret_hash IS NOT NULL AND NEW.secret_hash IS NOT NULL AND NEW.secret_hash <> OLD.secret_hash
    OR OLD.secret_hash IS NULL AND NEW.secret_hash IS NOT NULL
    OR (OLD.state IN ('ended')) AND ((NEW.ended_at, NEW.last_used_at) IS DISTINCT FROM (OLD.ended_at, OLD.last_used_at)) THEN
    PERFORM "public"."no_machine_allows"('trust that has ended does not come back', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "trusted_browsers_stays_ended" AFTER UPDATE OF secret_hash, ended_at, last_used_at ON "trusted_browsers"
  FOR EACH ROW EXECUTE FUNCTION "trusted_browsers_stays_ended"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "trusted_browsers_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('trust of browsers ends one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "trusted_browsers_is_not_emptied" BEFORE TRUNCATE ON "trusted_browsers"
  FOR EACH STATEMENT EXECUTE FUNCTION "trusted_browsers_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "interactions_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (NEW.state IN ('awaitingSignIn', 'approved', 'awaitingConsent', 'denied'))
    OR (NEW.state = 'awaitingSignIn') <> (NEW.user_id IS NULL) THEN
    PERFORM "public"."no_machine_allows"('an interaction is stored with the step of an end-user that leads out of the first state of its machine', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "interactions_begins_with_its_machine" AFTER INSERT ON "interactions"
  FOR EACH ROW EXECUTE FUNCTION "interactions_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "interactions_keeps_what_was_asked"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.browser_hash, NEW.client_id, NEW.client_epoch, NEW.redirect_uri, NEW.code_challenge, NEW.dpop_jkt, NEW.scope, NEW.resources, NEW.request_state, NEW.nonce, NEW.prompt, NEW.max_age_seconds, NEW.required_class, NEW.hinted_user_id, NEW.login_hint, NEW.ui_locales, NEW.response_mode, NEW.created_at, NEW.ends_at) IS DISTINCT FROM (OLD.id, OLD.browser_hash, OLD.client_id, OLD.client_epoch, OLD.redirect_uri, OLD.code_challenge, OLD.dpop_jkt, OLD.scope, OLD.resources, OLD.request_state, OLD.nonce, OLD.prompt, OLD.max_age_seconds, OLD.required_class, OLD.hinted_user_id, OLD.login_hint, OLD.ui_locales, OLD.response_mode, OLD.created_at, OLD.ends_at)) THEN
    PERFORM "public"."no_machine_allows"('what the client asked for does not change', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "interactions_keeps_what_was_asked" AFTER UPDATE OF id, browser_hash, client_id, client_epoch, redirect_uri, code_challenge, dpop_jkt, scope, resources, request_state, nonce, prompt, max_age_seconds, required_class, hinted_user_id, login_hint, ui_locales, response_mode, created_at, ends_at ON "interactions"
  FOR EACH ROW EXECUTE FUNCTION "interactions_keeps_what_was_asked"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "interactions_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'awaitingSignIn' AND NEW.state = 'approved') OR (OLD.state = 'awaitingSignIn' AND NEW.state = 'awaitingConsent') OR (OLD.state = 'awaitingSignIn' AND NEW.state = 'denied') OR (OLD.state = 'awaitingConsent' AND NEW.state = 'denied') OR (OLD.state = 'awaitingConsent' AND NEW.state = 'approved')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the interaction machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "interactions_moves_with_its_machine" AFTER UPDATE OF state ON "interactions"
  FOR EACH ROW EXECUTE FUNCTION "interactions_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "interactions_keeps_its_user"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (OLD.state IN ('approved', 'denied')) AND (NEW.user_id IS DISTINCT FROM OLD.user_id)
    OR (NEW.state IN ('approved')) AND NEW.user_id IS NULL THEN
    PERFORM "public"."no_machine_allows"('an answer keeps its end-user, and an approval has an end-user', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "interactions_keeps_its_user" AFTER UPDATE OF state, user_id ON "interactions"
  FOR EACH ROW EXECUTE FUNCTION "interactions_keeps_its_user"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "interactions_stays_until_its_end"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.ends_at >= now() THEN
    PERFORM "public"."no_machine_allows"('an interaction stays until it has ended', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "interactions_stays_until_its_end" AFTER DELETE ON "interactions"
  FOR EACH ROW EXECUTE FUNCTION "interactions_stays_until_its_end"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "interactions_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('interactions end one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "interactions_is_not_emptied" BEFORE TRUNCATE ON "interactions"
  FOR EACH STATEMENT EXECUTE FUNCTION "interactions_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "pushed_requests_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (NEW.state IN ('pushed')) THEN
    PERFORM "public"."no_machine_allows"('a pushed request is stored as pushed', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "pushed_requests_begins_with_its_machine" AFTER INSERT ON "pushed_requests"
  FOR EACH ROW EXECUTE FUNCTION "pushed_requests_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "pushed_requests_keeps_what_was_pushed"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.client_id, NEW.handle_hash, NEW.created_at, NEW.ends_at) IS DISTINCT FROM (OLD.id, OLD.client_id, OLD.handle_hash, OLD.created_at, OLD.ends_at)) THEN
    PERFORM "public"."no_machine_allows"('a pushed request stays that of its client, its link and its end', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "pushed_requests_keeps_what_was_pushed" AFTER UPDATE OF id, client_id, handle_hash, created_at, ends_at ON "pushed_requests"
  FOR EACH ROW EXECUTE FUNCTION "pushed_requests_keeps_what_was_pushed"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "pushed_requests_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'unpushed' AND NEW.state = 'pushed') OR (OLD.state = 'pushed' AND NEW.state = 'used')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the pushed-request machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "pushed_requests_moves_with_its_machine" AFTER UPDATE OF state ON "pushed_requests"
  FOR EACH ROW EXECUTE FUNCTION "pushed_requests_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "pushed_requests_is_erased_with_its_state"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state = OLD.state AND (NEW.sealed IS DISTINCT FROM OLD.sealed) THEN
    PERFORM "public"."no_machine_allows"('the parameters of a pushed request change once: its answer erases them', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "pushed_requests_is_erased_with_its_state" AFTER UPDATE OF sealed ON "pushed_requests"
  FOR EACH ROW EXECUTE FUNCTION "pushed_requests_is_erased_with_its_state"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "pushed_requests_stays_until_its_end"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.ends_at >= now() - interval '1 hour' THEN
    PERFORM "public"."no_machine_allows"('a pushed request stays until no interaction can answer it', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "pushed_requests_stays_until_its_end" AFTER DELETE ON "pushed_requests"
  FOR EACH ROW EXECUTE FUNCTION "pushed_requests_stays_until_its_end"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "pushed_requests_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('pushed requests end one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "pushed_requests_is_not_emptied" BEFORE TRUNCATE ON "pushed_requests"
  FOR EACH STATEMENT EXECUTE FUNCTION "pushed_requests_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "external_sign_ins_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> 'awaiting'
    OR (NEW.purpose = 'link') <> (NEW.user_id IS NOT NULL)
    OR NEW.user_epoch IS NOT NULL
    OR NEW.amr IS NOT NULL
    OR NEW.authenticated_at IS NOT NULL
    OR NEW.refusal IS NOT NULL THEN
    PERFORM "public"."no_machine_allows"('an external sign-in begins in the first state of its machine, without an answer', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "external_sign_ins_begins_with_its_machine" AFTER INSERT ON "external_sign_ins"
  FOR EACH ROW EXECUTE FUNCTION "external_sign_ins_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "external_sign_ins_keeps_what_began"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.reference_hash, NEW.kind, NEW.purpose, NEW.provider, NEW.browser_hash, NEW.interaction_id, NEW.sealed_interaction, NEW.wishes, NEW.sealed_secrets, NEW.began_at, NEW.ends_at) IS DISTINCT FROM (OLD.id, OLD.reference_hash, OLD.kind, OLD.purpose, OLD.provider, OLD.browser_hash, OLD.interaction_id, OLD.sealed_interaction, OLD.wishes, OLD.sealed_secrets, OLD.began_at, OLD.ends_at)) THEN
    PERFORM "public"."no_machine_allows"('an external sign-in stays that of its browser, its request and its place', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "external_sign_ins_keeps_what_began" AFTER UPDATE OF id, reference_hash, kind, purpose, provider, browser_hash, interaction_id, sealed_interaction, wishes, sealed_secrets, began_at, ends_at ON "external_sign_ins"
  FOR EACH ROW EXECUTE FUNCTION "external_sign_ins_keeps_what_began"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "external_sign_ins_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'awaiting' AND NEW.state = 'answered') OR (OLD.state = 'awaiting' AND NEW.state = 'denied') OR (OLD.state = 'answered' AND NEW.state = 'used')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the external sign-in machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "external_sign_ins_moves_with_its_machine" AFTER UPDATE OF state ON "external_sign_ins"
  FOR EACH ROW EXECUTE FUNCTION "external_sign_ins_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "external_sign_ins_answer_comes_with_its_state"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state = OLD.state AND ((NEW.user_id, NEW.user_epoch, NEW.amr, NEW.authenticated_at, NEW.refusal) IS DISTINCT FROM (OLD.user_id, OLD.user_epoch, OLD.amr, OLD.authenticated_at, OLD.refusal))
    OR OLD.user_id IS NOT NULL AND NEW.user_id IS DISTINCT FROM OLD.user_id
    OR OLD.user_epoch IS NOT NULL AND NEW.user_epoch IS DISTINCT FROM OLD.user_epoch
    OR OLD.amr IS NOT NULL AND NEW.amr IS DISTINCT FROM OLD.amr
    OR OLD.authenticated_at IS NOT NULL AND NEW.authenticated_at IS DISTINCT FROM OLD.authenticated_at
    OR (NEW.refusal IS NOT NULL) AND NOT (NEW.state IN ('denied')) THEN
    PERFORM "public"."no_machine_allows"('what the other place has said comes with the state, and stays', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "external_sign_ins_answer_comes_with_its_state" AFTER UPDATE OF user_id, user_epoch, amr, authenticated_at, refusal ON "external_sign_ins"
  FOR EACH ROW EXECUTE FUNCTION "external_sign_ins_answer_comes_with_its_state"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "external_sign_ins_stays_until_its_end"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.ends_at >= now() THEN
    PERFORM "public"."no_machine_allows"('an external sign-in stays until it has ended', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "external_sign_ins_stays_until_its_end" AFTER DELETE ON "external_sign_ins"
  FOR EACH ROW EXECUTE FUNCTION "external_sign_ins_stays_until_its_end"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "external_sign_ins_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('external sign-ins end one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "external_sign_ins_is_not_emptied" BEFORE TRUNCATE ON "external_sign_ins"
  FOR EACH STATEMENT EXECUTE FUNCTION "external_sign_ins_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sign_in_codes_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (NEW.state IN ('requested'))
    OR NEW.wrong_codes <> 0
    OR NEW.user_id IS NOT NULL
    OR NEW.user_epoch IS NOT NULL
    OR NEW.address IS NOT NULL THEN
    PERFORM "public"."no_machine_allows"('a code is stored as requested, for no end-user, and without a wrong code', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sign_in_codes_begins_with_its_machine" AFTER INSERT ON "sign_in_codes"
  FOR EACH ROW EXECUTE FUNCTION "sign_in_codes_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sign_in_codes_keeps_what_was_asked"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.code_hash, NEW.sealed_account, NEW.browser_hash, NEW.place, NEW.created_at, NEW.ends_at) IS DISTINCT FROM (OLD.id, OLD.code_hash, OLD.sealed_account, OLD.browser_hash, OLD.place, OLD.created_at, OLD.ends_at)) THEN
    PERFORM "public"."no_machine_allows"('a code stays that of its browser, its place and its end', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sign_in_codes_keeps_what_was_asked" AFTER UPDATE OF id, code_hash, sealed_account, browser_hash, place, created_at, ends_at ON "sign_in_codes"
  FOR EACH ROW EXECUTE FUNCTION "sign_in_codes_keeps_what_was_asked"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sign_in_codes_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'unrequested' AND NEW.state = 'requested') OR (OLD.state = 'requested' AND NEW.state = 'active') OR (OLD.state = 'requested' AND NEW.state = 'spent') OR (OLD.state = 'requested' AND NEW.state = 'superseded') OR (OLD.state = 'active' AND NEW.state = 'spent') OR (OLD.state = 'active' AND NEW.state = 'used') OR (OLD.state = 'active' AND NEW.state = 'superseded')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the sign-in-code machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sign_in_codes_moves_with_its_machine" AFTER UPDATE OF state ON "sign_in_codes"
  FOR EACH ROW EXECUTE FUNCTION "sign_in_codes_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sign_in_codes_is_sent_once"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.user_id, NEW.user_epoch, NEW.address) IS DISTINCT FROM (OLD.user_id, OLD.user_epoch, OLD.address)) AND NOT (OLD.state = 'requested' AND NEW.state = 'active') THEN
    PERFORM "public"."no_machine_allows"('a code becomes that of an end-user once, when it is sent', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sign_in_codes_is_sent_once" AFTER UPDATE OF user_id, user_epoch, address ON "sign_in_codes"
  FOR EACH ROW EXECUTE FUNCTION "sign_in_codes_is_sent_once"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sign_in_codes_counts_wrong_codes"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (NEW.wrong_codes IS DISTINCT FROM OLD.wrong_codes) AND NOT (OLD.state IN ('requested', 'active') AND NEW.wrong_codes = OLD.wrong_codes + 1) THEN
    PERFORM "public"."no_machine_allows"('wrong codes are counted one by one while a code is open', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sign_in_codes_counts_wrong_codes" AFTER UPDATE OF wrong_codes ON "sign_in_codes"
  FOR EACH ROW EXECUTE FUNCTION "sign_in_codes_counts_wrong_codes"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sign_in_codes_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('codes end one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sign_in_codes_is_not_emptied" BEFORE TRUNCATE ON "sign_in_codes"
  FOR EACH STATEMENT EXECUTE FUNCTION "sign_in_codes_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "grants_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> 'active'
    OR NEW.revoked_at IS NOT NULL
    OR NEW.refresh_generation IS NOT NULL
    OR NEW.last_used_at IS NOT NULL
    OR NEW.chain_ends_at IS NOT NULL THEN
    PERFORM "public"."no_machine_allows"('a grant begins in the first state of its machine, with no head and no end', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_begins_with_its_machine" AFTER INSERT ON "grants"
  FOR EACH ROW EXECUTE FUNCTION "grants_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "grants_keeps_what_was_approved"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.client_id, NEW.user_id, NEW.client_epoch, NEW.user_epoch, NEW.server_epoch, NEW.scope, NEW.resources, NEW.policy, NEW.code_hash, NEW.code_challenge, NEW.redirect_uri, NEW.dpop_jkt, NEW.identity, NEW.code_ends_at, NEW.created_at) IS DISTINCT FROM (OLD.id, OLD.client_id, OLD.user_id, OLD.client_epoch, OLD.user_epoch, OLD.server_epoch, OLD.scope, OLD.resources, OLD.policy, OLD.code_hash, OLD.code_challenge, OLD.redirect_uri, OLD.dpop_jkt, OLD.identity, OLD.code_ends_at, OLD.created_at)) THEN
    PERFORM "public"."no_machine_allows"('what was approved does not change', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_keeps_what_was_approved" AFTER UPDATE OF id, client_id, user_id, client_epoch, user_epoch, server_epoch, scope, resources, policy, code_hash, code_challenge, redirect_uri, dpop_jkt, identity, code_ends_at, created_at ON "grants"
  FOR EACH ROW EXECUTE FUNCTION "grants_keeps_what_was_approved"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "grants_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'active' AND NEW.state = 'revoked')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the grant machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_moves_with_its_machine" AFTER UPDATE OF state ON "grants"
  FOR EACH ROW EXECUTE FUNCTION "grants_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "grants_ends_once_with_a_reason"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state = OLD.state AND ((NEW.revoked_at, NEW.revoked_reason) IS DISTINCT FROM (OLD.revoked_at, OLD.revoked_reason))
    OR OLD.state = 'active' AND NEW.state = 'revoked' AND NEW.revoked_at IS NULL
    OR OLD.state = 'active' AND NEW.state = 'revoked' AND NOT coalesce((NEW.revoked_reason IN ('authorization_code_reused', 'refresh_token_reused', 'chain_behind_token', 'revocation_requested', 'ended_by_administrator')), false) THEN
    PERFORM "public"."no_machine_allows"('a grant ends once, with an instant and a reason that its machine writes', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_ends_once_with_a_reason" AFTER UPDATE OF revoked_at, revoked_reason ON "grants"
  FOR EACH ROW EXECUTE FUNCTION "grants_ends_once_with_a_reason"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "grants_head_moves_by_one"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.refresh_generation, NEW.refresh_nonce) IS DISTINCT FROM (OLD.refresh_generation, OLD.refresh_nonce)) AND (
    (OLD.state IN ('revoked'))
    OR NEW.state <> OLD.state
    OR NEW.refresh_generation IS DISTINCT FROM coalesce(OLD.refresh_generation + 1, 0)
    OR NEW.refresh_nonce IS NOT DISTINCT FROM OLD.refresh_nonce
    OR octet_length(NEW.refresh_nonce) IS DISTINCT FROM 16
    OR NEW.last_used_at IS NULL
    OR NEW.chain_ends_at IS NULL) THEN
    PERFORM "public"."no_machine_allows"('the head of a chain moves forward by one, with a fresh nonce, while its grant lives', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_head_moves_by_one" AFTER UPDATE OF refresh_generation, refresh_nonce ON "grants"
  FOR EACH ROW EXECUTE FUNCTION "grants_head_moves_by_one"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "grants_times_move_with_the_head"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (NEW.refresh_generation IS DISTINCT FROM OLD.refresh_generation) AND ((NEW.last_used_at, NEW.chain_ends_at) IS DISTINCT FROM (OLD.last_used_at, OLD.chain_ends_at)) THEN
    PERFORM "public"."no_machine_allows"('the last use and the end of a chain change only when its head moves', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_times_move_with_the_head" AFTER UPDATE OF last_used_at, chain_ends_at ON "grants"
  FOR EACH ROW EXECUTE FUNCTION "grants_times_move_with_the_head"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "grants_stays_until_its_end"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF coalesce(OLD.chain_ends_at, OLD.code_ends_at) >= now() - interval '3600 seconds' THEN
    PERFORM "public"."no_machine_allows"('a grant stays until the life of its last access token is over', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_stays_until_its_end" AFTER DELETE ON "grants"
  FOR EACH ROW EXECUTE FUNCTION "grants_stays_until_its_end"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "grants_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('grants end one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_is_not_emptied" BEFORE TRUNCATE ON "grants"
  FOR EACH STATEMENT EXECUTE FUNCTION "grants_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "signing_keys_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (NEW.state IN ('signing', 'published'))
    OR NEW.stopped_signing_at IS NOT NULL
    OR NEW.retired_at IS NOT NULL THEN
    PERFORM "public"."no_machine_allows"('a key is stored as published, or signs at once', NEW.kid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_begins_with_its_machine" AFTER INSERT ON "signing_keys"
  FOR EACH ROW EXECUTE FUNCTION "signing_keys_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "signing_keys_keeps_what_was_published"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.kid, NEW.alg, NEW.public_jwk, NEW.created_at, NEW.may_sign_at) IS DISTINCT FROM (OLD.kid, OLD.alg, OLD.public_jwk, OLD.created_at, OLD.may_sign_at)) THEN
    PERFORM "public"."no_machine_allows"('what was published of a key does not change', OLD.kid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_keeps_what_was_published" AFTER UPDATE OF kid, alg, public_jwk, created_at, may_sign_at ON "signing_keys"
  FOR EACH ROW EXECUTE FUNCTION "signing_keys_keeps_what_was_published"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "signing_keys_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'unpublished' AND NEW.state = 'signing') OR (OLD.state = 'unpublished' AND NEW.state = 'published') OR (OLD.state = 'published' AND NEW.state = 'signing') OR (OLD.state = 'published' AND NEW.state = 'retired') OR (OLD.state = 'signing' AND NEW.state = 'retiring') OR (OLD.state = 'signing' AND NEW.state = 'retired') OR (OLD.state = 'retiring' AND NEW.state = 'retired')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the signing-key machine leads there', OLD.kid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_moves_with_its_machine" AFTER UPDATE OF state ON "signing_keys"
  FOR EACH ROW EXECUTE FUNCTION "signing_keys_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "signing_keys_retires_with_a_reason"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state = OLD.state AND ((NEW.retired_at, NEW.retired_reason) IS DISTINCT FROM (OLD.retired_at, OLD.retired_reason))
    OR OLD.state = 'published' AND NEW.state = 'retired' AND NOT coalesce((NEW.retired_reason IN ('revocation_requested')), false)
    OR OLD.state = 'signing' AND NEW.state = 'retired' AND NOT coalesce((NEW.retired_reason IN ('revocation_requested')), false)
    OR OLD.state = 'retiring' AND NEW.state = 'retired' AND NOT coalesce((NEW.retired_reason IN ('tokens_expired', 'revocation_requested')), false) THEN
    PERFORM "public"."no_machine_allows"('a key retires once, with a reason that its machine writes', OLD.kid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_retires_with_a_reason" AFTER UPDATE OF retired_at, retired_reason ON "signing_keys"
  FOR EACH ROW EXECUTE FUNCTION "signing_keys_retires_with_a_reason"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "signing_keys_instants_stay"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.began_signing_at IS NOT NULL AND NEW.began_signing_at IS NULL
    OR OLD.stopped_signing_at IS NOT NULL AND NEW.stopped_signing_at IS NULL
    OR (OLD.state IN ('retired')) AND ((NEW.began_signing_at, NEW.stopped_signing_at) IS DISTINCT FROM (OLD.began_signing_at, OLD.stopped_signing_at)) THEN
    PERFORM "public"."no_machine_allows"('what has happened to a key has happened', OLD.kid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_instants_stay" AFTER UPDATE OF began_signing_at, stopped_signing_at ON "signing_keys"
  FOR EACH ROW EXECUTE FUNCTION "signing_keys_instants_stay"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "signing_keys_erased_stays_erased"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.private_jwe IS NULL AND NEW.private_jwe IS NOT NULL THEN
    PERFORM "public"."no_machine_allows"('a private half that was erased does not come back', OLD.kid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_erased_stays_erased" AFTER UPDATE OF private_jwe ON "signing_keys"
  FOR EACH ROW EXECUTE FUNCTION "signing_keys_erased_stays_erased"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "signing_keys_stays"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('a key stays, so that a retired one never comes back', OLD.kid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_stays" AFTER DELETE ON "signing_keys"
  FOR EACH ROW EXECUTE FUNCTION "signing_keys_stays"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "signing_keys_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('keys retire one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_is_not_emptied" BEFORE TRUNCATE ON "signing_keys"
  FOR EACH STATEMENT EXECUTE FUNCTION "signing_keys_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "client_documents_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (NEW.state IN ('known')) THEN
    PERFORM "public"."no_machine_allows"('a document is stored as known', NEW.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "client_documents_begins_with_its_machine" AFTER INSERT ON "client_documents"
  FOR EACH ROW EXECUTE FUNCTION "client_documents_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "client_documents_keeps_its_url"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (NEW.client_id IS DISTINCT FROM OLD.client_id) THEN
    PERFORM "public"."no_machine_allows"('a document stays that of its URL', OLD.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "client_documents_keeps_its_url" AFTER UPDATE OF client_id ON "client_documents"
  FOR EACH ROW EXECUTE FUNCTION "client_documents_keeps_its_url"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "client_documents_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'unseen' AND NEW.state = 'known') OR (OLD.state = 'known' AND NEW.state = 'refused') OR (OLD.state = 'known' AND NEW.state = 'stale') OR (OLD.state = 'stale' AND NEW.state = 'refused') OR (OLD.state = 'stale' AND NEW.state = 'known') OR (OLD.state = 'refused' AND NEW.state = 'known')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the client-document machine leads there', OLD.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "client_documents_moves_with_its_machine" AFTER UPDATE OF state ON "client_documents"
  FOR EACH ROW EXECUTE FUNCTION "client_documents_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "client_documents_stays_while_it_counts"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.fetched_at >= now() - interval '24 hours' THEN
    PERFORM "public"."no_machine_allows"('a document stays while it can count', OLD.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "client_documents_stays_while_it_counts" AFTER DELETE ON "client_documents"
  FOR EACH ROW EXECUTE FUNCTION "client_documents_stays_while_it_counts"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "client_documents_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('documents end one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "client_documents_is_not_emptied" BEFORE TRUNCATE ON "client_documents"
  FOR EACH STATEMENT EXECUTE FUNCTION "client_documents_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "client_registrations_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (NEW.state IN ('unused')) THEN
    PERFORM "public"."no_machine_allows"('a registration is stored as unused', NEW.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "client_registrations_begins_with_its_machine" AFTER INSERT ON "client_registrations"
  FOR EACH ROW EXECUTE FUNCTION "client_registrations_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "client_registrations_keeps_its_token"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.client_id, NEW.token_hash, NEW.created_at) IS DISTINCT FROM (OLD.client_id, OLD.token_hash, OLD.created_at)) THEN
    PERFORM "public"."no_machine_allows"('a registration stays that of its client and its token', OLD.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "client_registrations_keeps_its_token" AFTER UPDATE OF client_id, token_hash, created_at ON "client_registrations"
  FOR EACH ROW EXECUTE FUNCTION "client_registrations_keeps_its_token"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "client_registrations_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'unregistered' AND NEW.state = 'unused') OR (OLD.state = 'unused' AND NEW.state = 'used') OR (OLD.state = 'unused' AND NEW.state = 'ended') OR (OLD.state = 'used' AND NEW.state = 'ended')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the client-registration machine leads there', OLD.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "client_registrations_moves_with_its_machine" AFTER UPDATE OF state ON "client_registrations"
  FOR EACH ROW EXECUTE FUNCTION "client_registrations_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "client_registrations_stays_until_its_end"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.unused_until >= now() THEN
    PERFORM "public"."no_machine_allows"('a registration stays while its client may be used', OLD.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "client_registrations_stays_until_its_end" AFTER DELETE ON "client_registrations"
  FOR EACH ROW EXECUTE FUNCTION "client_registrations_stays_until_its_end"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "client_registrations_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('registrations of clients end one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "client_registrations_is_not_emptied" BEFORE TRUNCATE ON "client_registrations"
  FOR EACH STATEMENT EXECUTE FUNCTION "client_registrations_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "clients_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.deleted_at IS NOT NULL THEN
    PERFORM "public"."no_machine_allows"('a client begins as registered', NEW.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "clients_begins_with_its_machine" AFTER INSERT ON "clients"
  FOR EACH ROW EXECUTE FUNCTION "clients_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "clients_keeps_its_id"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.client_id, NEW.created_at) IS DISTINCT FROM (OLD.client_id, OLD.created_at)) THEN
    PERFORM "public"."no_machine_allows"('a client keeps its id', OLD.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "clients_keeps_its_id" AFTER UPDATE OF client_id, created_at ON "clients"
  FOR EACH ROW EXECUTE FUNCTION "clients_keeps_its_id"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "clients_epoch_rises"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.epoch < OLD.epoch THEN
    PERFORM "public"."no_machine_allows"('an epoch only rises', OLD.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "clients_epoch_rises" AFTER UPDATE OF epoch ON "clients"
  FOR EACH ROW EXECUTE FUNCTION "clients_epoch_rises"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "clients_deletion_raises_epoch"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL AND NEW.epoch <= OLD.epoch THEN
    PERFORM "public"."no_machine_allows"('deleting a client raises its epoch', OLD.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "clients_deletion_raises_epoch" AFTER UPDATE OF deleted_at ON "clients"
  FOR EACH ROW EXECUTE FUNCTION "clients_deletion_raises_epoch"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "clients_deleted_has_no_secret"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.deleted_at IS NOT NULL AND NEW.secret_macs <> '[]'::jsonb THEN
    PERFORM "public"."no_machine_allows"('a deleted client has no secret', OLD.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "clients_deleted_has_no_secret" AFTER UPDATE OF deleted_at, secret_macs ON "clients"
  FOR EACH ROW EXECUTE FUNCTION "clients_deleted_has_no_secret"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "clients_stays"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.registered_by <> 'self'
    OR OLD.client_id LIKE 'https://%' AND (OLD.deleted_at IS NOT NULL OR OLD.epoch <> 0) THEN
    PERFORM "public"."no_machine_allows"('a client keeps its row, so that its id never revives a grant', OLD.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "clients_stays" AFTER DELETE ON "clients"
  FOR EACH ROW EXECUTE FUNCTION "clients_stays"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "clients_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('clients are deleted one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "clients_is_not_emptied" BEFORE TRUNCATE ON "clients"
  FOR EACH STATEMENT EXECUTE FUNCTION "clients_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "users_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.deleted_at IS NULL AND NEW.disabled_at IS NOT NULL
    OR NEW.deleted_at IS NOT NULL THEN
    PERFORM "public"."no_machine_allows"('an end-user begins as enabled', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "users_begins_with_its_machine" AFTER INSERT ON "users"
  FOR EACH ROW EXECUTE FUNCTION "users_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "users_keeps_its_sub"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.sub, NEW.created_at) IS DISTINCT FROM (OLD.id, OLD.sub, OLD.created_at)) THEN
    PERFORM "public"."no_machine_allows"('an end-user keeps the sub', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "users_keeps_its_sub" AFTER UPDATE OF id, sub, created_at ON "users"
  FOR EACH ROW EXECUTE FUNCTION "users_keeps_its_sub"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "users_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NULL AND NEW.disabled_at IS NULL
    OR OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NULL AND NEW.disabled_at IS NOT NULL THEN
    PERFORM "public"."no_machine_allows"('no arm of the user machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "users_moves_with_its_machine" AFTER UPDATE OF disabled_at, deleted_at ON "users"
  FOR EACH ROW EXECUTE FUNCTION "users_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "users_epoch_rises"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.epoch < OLD.epoch THEN
    PERFORM "public"."no_machine_allows"('an epoch only rises', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "users_epoch_rises" AFTER UPDATE OF epoch ON "users"
  FOR EACH ROW EXECUTE FUNCTION "users_epoch_rises"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "users_disabling_raises_epoch"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL AND NEW.epoch <= OLD.epoch THEN
    PERFORM "public"."no_machine_allows"('disabling an end-user raises the epoch', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "users_disabling_raises_epoch" AFTER UPDATE OF disabled_at ON "users"
  FOR EACH ROW EXECUTE FUNCTION "users_disabling_raises_epoch"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "users_deletion_raises_epoch"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL AND NEW.epoch <= OLD.epoch THEN
    PERFORM "public"."no_machine_allows"('deleting an end-user raises the epoch', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "users_deletion_raises_epoch" AFTER UPDATE OF deleted_at ON "users"
  FOR EACH ROW EXECUTE FUNCTION "users_deletion_raises_epoch"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "users_deletion_erases"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.deleted_at IS NOT NULL AND (NEW.disabled_at IS NULL OR NEW.username <> '' OR NEW.password_hash <> '' OR NEW.imported_hash IS NOT NULL OR NEW.password_by_link_at IS NOT NULL OR NEW.claims <> '{}'::jsonb OR NEW.sign_in_address IS NOT NULL) THEN
    PERFORM "public"."no_machine_allows"('nothing but the sub is left of a deleted end-user', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "users_deletion_erases" AFTER UPDATE OF deleted_at ON "users"
  FOR EACH ROW EXECUTE FUNCTION "users_deletion_erases"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "users_erased_stays_erased"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NOT NULL AND ((NEW.username, NEW.username_key, NEW.password_hash, NEW.imported_hash, NEW.password_by_link_at, NEW.claims, NEW.sign_in_address, NEW.disabled_at, NEW.deleted_at) IS DISTINCT FROM (OLD.username, OLD.username_key, OLD.password_hash, OLD.imported_hash, OLD.password_by_link_at, OLD.claims, OLD.sign_in_address, OLD.disabled_at, OLD.deleted_at)) THEN
    PERFORM "public"."no_machine_allows"('what was erased of an end-user does not come back', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "users_erased_stays_erased" AFTER UPDATE OF username, username_key, password_hash, imported_hash, password_by_link_at, claims, sign_in_address, disabled_at, deleted_at ON "users"
  FOR EACH ROW EXECUTE FUNCTION "users_erased_stays_erased"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "users_stays"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('an end-user keeps the row, so that nobody else gets the sub', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "users_stays" AFTER DELETE ON "users"
  FOR EACH ROW EXECUTE FUNCTION "users_stays"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "users_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('end-users are deleted one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "users_is_not_emptied" BEFORE TRUNCATE ON "users"
  FOR EACH STATEMENT EXECUTE FUNCTION "users_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "webhook_deliveries_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> 'pending'
    OR NEW.attempts <> 0
    OR NEW.last_outcome IS NOT NULL THEN
    PERFORM "public"."no_machine_allows"('a delivery begins in the first state of its machine, with no attempt', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "webhook_deliveries_begins_with_its_machine" AFTER INSERT ON "webhook_deliveries"
  FOR EACH ROW EXECUTE FUNCTION "webhook_deliveries_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "webhook_deliveries_keeps_its_event"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.receiver, NEW.event_id, NEW.event_type, NEW.user_id, NEW.data, NEW.occurred_at, NEW.created_at) IS DISTINCT FROM (OLD.id, OLD.receiver, OLD.event_id, OLD.event_type, OLD.user_id, OLD.data, OLD.occurred_at, OLD.created_at)) THEN
    PERFORM "public"."no_machine_allows"('a delivery stays that of its event and of its receiver', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "webhook_deliveries_keeps_its_event" AFTER UPDATE OF id, receiver, event_id, event_type, user_id, data, occurred_at, created_at ON "webhook_deliveries"
  FOR EACH ROW EXECUTE FUNCTION "webhook_deliveries_keeps_its_event"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "webhook_deliveries_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'pending' AND NEW.state = 'abandoned') OR (OLD.state = 'pending' AND NEW.state = 'delivered') OR (OLD.state = 'delivered' AND NEW.state = 'pending') OR (OLD.state = 'abandoned' AND NEW.state = 'delivered') OR (OLD.state = 'abandoned' AND NEW.state = 'pending')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the webhook-delivery machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "webhook_deliveries_moves_with_its_machine" AFTER UPDATE OF state ON "webhook_deliveries"
  FOR EACH ROW EXECUTE FUNCTION "webhook_deliveries_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "webhook_deliveries_ends_once_with_a_reason"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state = OLD.state AND ((NEW.ended_at, NEW.abandoned_reason) IS DISTINCT FROM (OLD.ended_at, OLD.abandoned_reason))
    OR OLD.state = 'pending' AND NEW.state = 'abandoned' AND NOT coalesce((NEW.abandoned_reason IN ('attempts_used_up', 'too_old', 'receiver_gone', 'receiver_removed')), false) THEN
    PERFORM "public"."no_machine_allows"('a delivery ends with its state, and is given up for a reason that its machine writes', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "webhook_deliveries_ends_once_with_a_reason" AFTER UPDATE OF ended_at, abandoned_reason ON "webhook_deliveries"
  FOR EACH ROW EXECUTE FUNCTION "webhook_deliveries_ends_once_with_a_reason"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "webhook_deliveries_is_attempted_while_pending"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.state <> 'pending' AND NEW.state = OLD.state AND ((NEW.attempts, NEW.gives_up_at, NEW.last_outcome) IS DISTINCT FROM (OLD.attempts, OLD.gives_up_at, OLD.last_outcome))
    OR NEW.attempts NOT IN (0, OLD.attempts, OLD.attempts + 1) THEN
    PERFORM "public"."no_machine_allows"('only a pending delivery is attempted, and attempts are counted by one', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "webhook_deliveries_is_attempted_while_pending" AFTER UPDATE OF attempts, gives_up_at, last_outcome ON "webhook_deliveries"
  FOR EACH ROW EXECUTE FUNCTION "webhook_deliveries_is_attempted_while_pending"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "webhook_deliveries_stays_until_it_has_ended"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.state = 'pending' THEN
    PERFORM "public"."no_machine_allows"('a delivery stays until it has ended', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "webhook_deliveries_stays_until_it_has_ended" AFTER DELETE ON "webhook_deliveries"
  FOR EACH ROW EXECUTE FUNCTION "webhook_deliveries_stays_until_it_has_ended"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "webhook_deliveries_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('deliveries end one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "webhook_deliveries_is_not_emptied" BEFORE TRUNCATE ON "webhook_deliveries"
  FOR EACH STATEMENT EXECUTE FUNCTION "webhook_deliveries_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "operator_set_ups_begins_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT (NEW.state IN ('active'))
    OR NEW.user_id IS NOT NULL THEN
    PERFORM "public"."no_machine_allows"('a set-up of an operator is stored as active, for no end-user', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "operator_set_ups_begins_with_its_machine" AFTER INSERT ON "operator_set_ups"
  FOR EACH ROW EXECUTE FUNCTION "operator_set_ups_begins_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "operator_set_ups_keeps_what_was_issued"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.id, NEW.secret_hash, NEW.username, NEW.server_epoch, NEW.created_at, NEW.ends_at) IS DISTINCT FROM (OLD.id, OLD.secret_hash, OLD.username, OLD.server_epoch, OLD.created_at, OLD.ends_at)) THEN
    PERFORM "public"."no_machine_allows"('a set-up of an operator keeps its link and its end', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "operator_set_ups_keeps_what_was_issued" AFTER UPDATE OF id, secret_hash, username, server_epoch, created_at, ends_at ON "operator_set_ups"
  FOR EACH ROW EXECUTE FUNCTION "operator_set_ups_keeps_what_was_issued"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "operator_set_ups_moves_with_its_machine"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> OLD.state AND NOT ((OLD.state = 'unissued' AND NEW.state = 'active') OR (OLD.state = 'active' AND NEW.state = 'used') OR (OLD.state = 'active' AND NEW.state = 'ended') OR (OLD.state = 'used' AND NEW.state = 'ended')) THEN
    PERFORM "public"."no_machine_allows"('no arm of the operator-set-up machine leads there', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "operator_set_ups_moves_with_its_machine" AFTER UPDATE OF state ON "operator_set_ups"
  FOR EACH ROW EXECUTE FUNCTION "operator_set_ups_moves_with_its_machine"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "operator_set_ups_makes_one_operator"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (NEW.user_id IS DISTINCT FROM OLD.user_id) AND NOT (OLD.state = 'active' AND NEW.state = 'used') THEN
    PERFORM "public"."no_machine_allows"('a set-up gets its operator once, when its link is used', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "operator_set_ups_makes_one_operator" AFTER UPDATE OF user_id ON "operator_set_ups"
  FOR EACH ROW EXECUTE FUNCTION "operator_set_ups_makes_one_operator"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "operator_set_ups_ends_with_a_reason"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state = OLD.state AND (NEW.ended_reason IS DISTINCT FROM OLD.ended_reason)
    OR OLD.state = 'active' AND NEW.state = 'ended' AND NOT coalesce((NEW.ended_reason IN ('replaced', 'operator_declared')), false)
    OR OLD.state = 'used' AND NEW.state = 'ended' AND NOT coalesce((NEW.ended_reason IN ('replaced', 'operator_declared')), false) THEN
    PERFORM "public"."no_machine_allows"('a set-up ends once, with a reason that its machine writes', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "operator_set_ups_ends_with_a_reason" AFTER UPDATE OF state, ended_reason ON "operator_set_ups"
  FOR EACH ROW EXECUTE FUNCTION "operator_set_ups_ends_with_a_reason"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "operator_set_ups_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('set-ups of operators end one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "operator_set_ups_is_not_emptied" BEFORE TRUNCATE ON "operator_set_ups"
  FOR EACH STATEMENT EXECUTE FUNCTION "operator_set_ups_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "configured_secrets_keeps_its_name"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (NEW.name IS DISTINCT FROM OLD.name) THEN
    PERFORM "public"."no_machine_allows"('a secret keeps its name', OLD.name::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "configured_secrets_keeps_its_name" AFTER UPDATE OF name ON "configured_secrets"
  FOR EACH ROW EXECUTE FUNCTION "configured_secrets_keeps_its_name"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "configured_secrets_stays_replaced"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.version < OLD.version
    OR OLD.sealed_value IS NULL AND NEW.sealed_value IS NOT NULL AND NEW.version = OLD.version THEN
    PERFORM "public"."no_machine_allows"('the version of a secret only rises, and a removed secret comes back under a new one', OLD.name::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "configured_secrets_stays_replaced" AFTER UPDATE OF version, sealed_value ON "configured_secrets"
  FOR EACH ROW EXECUTE FUNCTION "configured_secrets_stays_replaced"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "configured_secrets_stays"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('the row of a secret stays, so that no earlier version begins again', OLD.name::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "configured_secrets_stays" AFTER DELETE ON "configured_secrets"
  FOR EACH ROW EXECUTE FUNCTION "configured_secrets_stays"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "configured_secrets_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('secrets are removed one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "configured_secrets_is_not_emptied" BEFORE TRUNCATE ON "configured_secrets"
  FOR EACH STATEMENT EXECUTE FUNCTION "configured_secrets_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "used_jtis_begins_in_its_time"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.ends_at <= NEW.used_at THEN
    PERFORM "public"."no_machine_allows"('a jti is used before its proof expires', NEW.hash::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "used_jtis_begins_in_its_time" AFTER INSERT ON "used_jtis"
  FOR EACH ROW EXECUTE FUNCTION "used_jtis_begins_in_its_time"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "used_jtis_keeps_its_use"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF ((NEW.hash, NEW.used_at, NEW.ends_at) IS DISTINCT FROM (OLD.hash, OLD.used_at, OLD.ends_at)) THEN
    PERFORM "public"."no_machine_allows"('a used jti stays used', OLD.hash::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "used_jtis_keeps_its_use" AFTER UPDATE OF hash, used_at, ends_at ON "used_jtis"
  FOR EACH ROW EXECUTE FUNCTION "used_jtis_keeps_its_use"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "used_jtis_stays_until_its_end"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.ends_at >= now() - interval '1 hour' THEN
    PERFORM "public"."no_machine_allows"('a used jti is kept for an hour after its proof has expired', OLD.hash::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "used_jtis_stays_until_its_end" AFTER DELETE ON "used_jtis"
  FOR EACH ROW EXECUTE FUNCTION "used_jtis_stays_until_its_end"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "used_jtis_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('used jtis end one by one', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "used_jtis_is_not_emptied" BEFORE TRUNCATE ON "used_jtis"
  FOR EACH STATEMENT EXECUTE FUNCTION "used_jtis_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "server_epoch_rises"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.epoch < OLD.epoch THEN
    PERFORM "public"."no_machine_allows"('an epoch only rises', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "server_epoch_rises" AFTER UPDATE OF epoch ON "server"
  FOR EACH ROW EXECUTE FUNCTION "server_epoch_rises"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "server_stays"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('the server keeps its epoch', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "server_stays" AFTER DELETE ON "server"
  FOR EACH ROW EXECUTE FUNCTION "server_stays"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "server_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('the server keeps its epoch', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "server_is_not_emptied" BEFORE TRUNCATE ON "server"
  FOR EACH STATEMENT EXECUTE FUNCTION "server_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "transitions_append_only"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('the ledger is append-only', OLD.shard_key::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "transitions_append_only" BEFORE UPDATE OR DELETE ON "transitions"
  FOR EACH ROW EXECUTE FUNCTION "transitions_append_only"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "transitions_is_not_emptied"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."no_machine_allows"('the ledger is append-only', NULL, TG_NAME, TG_OP, TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "transitions_is_not_emptied" BEFORE TRUNCATE ON "transitions"
  FOR EACH STATEMENT EXECUTE FUNCTION "transitions_is_not_emptied"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "client_registrations_mac_moves_on"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.mac_version < OLD.mac_version
    OR NEW.mac_version > OLD.mac_version + 1
    OR (NEW.mac IS DISTINCT FROM OLD.mac) AND NEW.mac_version = OLD.mac_version THEN
    PERFORM "public"."no_machine_allows"('each MAC of a row has the next version', OLD.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "client_registrations_mac_moves_on" AFTER UPDATE OF mac, mac_version ON "client_registrations"
  FOR EACH ROW EXECUTE FUNCTION "client_registrations_mac_moves_on"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "clients_mac_moves_on"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.mac_version < OLD.mac_version
    OR NEW.mac_version > OLD.mac_version + 1
    OR ((NEW.mac, NEW.token_mac) IS DISTINCT FROM (OLD.mac, OLD.token_mac)) AND NEW.mac_version = OLD.mac_version THEN
    PERFORM "public"."no_machine_allows"('each MAC of a row has the next version', OLD.client_id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "clients_mac_moves_on" AFTER UPDATE OF mac, token_mac, mac_version ON "clients"
  FOR EACH ROW EXECUTE FUNCTION "clients_mac_moves_on"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "consents_mac_moves_on"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.mac_version < OLD.mac_version
    OR NEW.mac_version > OLD.mac_version + 1
    OR (NEW.mac IS DISTINCT FROM OLD.mac) AND NEW.mac_version = OLD.mac_version THEN
    PERFORM "public"."no_machine_allows"('each MAC of a row has the next version', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "consents_mac_moves_on" AFTER UPDATE OF mac, mac_version ON "consents"
  FOR EACH ROW EXECUTE FUNCTION "consents_mac_moves_on"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "email_challenges_mac_moves_on"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.mac_version < OLD.mac_version
    OR NEW.mac_version > OLD.mac_version + 1
    OR (NEW.mac IS DISTINCT FROM OLD.mac) AND NEW.mac_version = OLD.mac_version THEN
    PERFORM "public"."no_machine_allows"('each MAC of a row has the next version', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "email_challenges_mac_moves_on" AFTER UPDATE OF mac, mac_version ON "email_challenges"
  FOR EACH ROW EXECUTE FUNCTION "email_challenges_mac_moves_on"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "external_sign_ins_mac_moves_on"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.mac_version < OLD.mac_version
    OR NEW.mac_version > OLD.mac_version + 1
    OR (NEW.mac IS DISTINCT FROM OLD.mac) AND NEW.mac_version = OLD.mac_version THEN
    PERFORM "public"."no_machine_allows"('each MAC of a row has the next version', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "external_sign_ins_mac_moves_on" AFTER UPDATE OF mac, mac_version ON "external_sign_ins"
  FOR EACH ROW EXECUTE FUNCTION "external_sign_ins_mac_moves_on"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "linked_identities_mac_moves_on"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.mac_version < OLD.mac_version
    OR NEW.mac_version > OLD.mac_version + 1
    OR (NEW.mac IS DISTINCT FROM OLD.mac) AND NEW.mac_version = OLD.mac_version THEN
    PERFORM "public"."no_machine_allows"('each MAC of a row has the next version', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "linked_identities_mac_moves_on" AFTER UPDATE OF mac, mac_version ON "linked_identities"
  FOR EACH ROW EXECUTE FUNCTION "linked_identities_mac_moves_on"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "operator_set_ups_mac_moves_on"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.mac_version < OLD.mac_version
    OR NEW.mac_version > OLD.mac_version + 1
    OR (NEW.mac IS DISTINCT FROM OLD.mac) AND NEW.mac_version = OLD.mac_version THEN
    PERFORM "public"."no_machine_allows"('each MAC of a row has the next version', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "operator_set_ups_mac_moves_on" AFTER UPDATE OF mac, mac_version ON "operator_set_ups"
  FOR EACH ROW EXECUTE FUNCTION "operator_set_ups_mac_moves_on"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "passkeys_mac_moves_on"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.mac_version < OLD.mac_version
    OR NEW.mac_version > OLD.mac_version + 1
    OR (NEW.mac IS DISTINCT FROM OLD.mac) AND NEW.mac_version = OLD.mac_version THEN
    PERFORM "public"."no_machine_allows"('each MAC of a row has the next version', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "passkeys_mac_moves_on" AFTER UPDATE OF mac, mac_version ON "passkeys"
  FOR EACH ROW EXECUTE FUNCTION "passkeys_mac_moves_on"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sessions_mac_moves_on"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.mac_version < OLD.mac_version
    OR NEW.mac_version > OLD.mac_version + 1
    OR (NEW.mac IS DISTINCT FROM OLD.mac) AND NEW.mac_version = OLD.mac_version THEN
    PERFORM "public"."no_machine_allows"('each MAC of a row has the next version', OLD.sid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sessions_mac_moves_on" AFTER UPDATE OF mac, mac_version ON "sessions"
  FOR EACH ROW EXECUTE FUNCTION "sessions_mac_moves_on"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sign_in_codes_mac_moves_on"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.mac_version < OLD.mac_version
    OR NEW.mac_version > OLD.mac_version + 1
    OR (NEW.mac IS DISTINCT FROM OLD.mac) AND NEW.mac_version = OLD.mac_version THEN
    PERFORM "public"."no_machine_allows"('each MAC of a row has the next version', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sign_in_codes_mac_moves_on" AFTER UPDATE OF mac, mac_version ON "sign_in_codes"
  FOR EACH ROW EXECUTE FUNCTION "sign_in_codes_mac_moves_on"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "signing_keys_mac_moves_on"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.mac_version < OLD.mac_version
    OR NEW.mac_version > OLD.mac_version + 1
    OR (NEW.mac IS DISTINCT FROM OLD.mac) AND NEW.mac_version = OLD.mac_version THEN
    PERFORM "public"."no_machine_allows"('each MAC of a row has the next version', OLD.kid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_mac_moves_on" AFTER UPDATE OF mac, mac_version ON "signing_keys"
  FOR EACH ROW EXECUTE FUNCTION "signing_keys_mac_moves_on"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "trusted_browsers_mac_moves_on"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.mac_version < OLD.mac_version
    OR NEW.mac_version > OLD.mac_version + 1
    OR (NEW.mac IS DISTINCT FROM OLD.mac) AND NEW.mac_version = OLD.mac_version THEN
    PERFORM "public"."no_machine_allows"('each MAC of a row has the next version', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "trusted_browsers_mac_moves_on" AFTER UPDATE OF mac, mac_version ON "trusted_browsers"
  FOR EACH ROW EXECUTE FUNCTION "trusted_browsers_mac_moves_on"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "users_mac_moves_on"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.mac_version < OLD.mac_version
    OR NEW.mac_version > OLD.mac_version + 1
    OR (NEW.mac IS DISTINCT FROM OLD.mac) AND NEW.mac_version = OLD.mac_version THEN
    PERFORM "public"."no_machine_allows"('each MAC of a row has the next version', OLD.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "users_mac_moves_on" AFTER UPDATE OF mac, mac_version ON "users"
  FOR EACH ROW EXECUTE FUNCTION "users_mac_moves_on"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sessions_begins_once"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."ended_rows" e WHERE e."relation" = 'sessions' AND e."key" = NEW.sid::text) THEN
    PERFORM "public"."no_machine_allows"('what was deleted does not begin again', NEW.sid::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sessions_begins_once" AFTER INSERT ON "sessions"
  FOR EACH ROW EXECUTE FUNCTION "sessions_begins_once"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "email_challenges_begins_once"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."ended_rows" e WHERE e."relation" = 'email_challenges' AND e."key" = NEW.id::text) THEN
    PERFORM "public"."no_machine_allows"('what was deleted does not begin again', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "email_challenges_begins_once" AFTER INSERT ON "email_challenges"
  FOR EACH ROW EXECUTE FUNCTION "email_challenges_begins_once"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "passkeys_begins_once"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."ended_rows" e WHERE e."relation" = 'passkeys' AND e."key" = NEW.id::text) THEN
    PERFORM "public"."no_machine_allows"('what was deleted does not begin again', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "passkeys_begins_once" AFTER INSERT ON "passkeys"
  FOR EACH ROW EXECUTE FUNCTION "passkeys_begins_once"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "linked_identities_begins_once"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."ended_rows" e WHERE e."relation" = 'linked_identities' AND e."key" = NEW.id::text) THEN
    PERFORM "public"."no_machine_allows"('what was deleted does not begin again', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "linked_identities_begins_once" AFTER INSERT ON "linked_identities"
  FOR EACH ROW EXECUTE FUNCTION "linked_identities_begins_once"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "consents_begins_once"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."ended_rows" e WHERE e."relation" = 'consents' AND e."key" = NEW.id::text) THEN
    PERFORM "public"."no_machine_allows"('what was deleted does not begin again', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "consents_begins_once" AFTER INSERT ON "consents"
  FOR EACH ROW EXECUTE FUNCTION "consents_begins_once"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "second_factors_begins_once"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."ended_rows" e WHERE e."relation" = 'second_factors' AND e."key" = NEW.id::text) THEN
    PERFORM "public"."no_machine_allows"('what was deleted does not begin again', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "second_factors_begins_once" AFTER INSERT ON "second_factors"
  FOR EACH ROW EXECUTE FUNCTION "second_factors_begins_once"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "mails_begins_once"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."ended_rows" e WHERE e."relation" = 'mails' AND e."key" = NEW.id::text) THEN
    PERFORM "public"."no_machine_allows"('what was deleted does not begin again', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "mails_begins_once" AFTER INSERT ON "mails"
  FOR EACH ROW EXECUTE FUNCTION "mails_begins_once"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "recovery_codes_begins_once"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."ended_rows" e WHERE e."relation" = 'recovery_codes' AND e."key" = encode(NEW.code_hash, 'hex')) THEN
    PERFORM "public"."no_machine_allows"('what was deleted does not begin again', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "recovery_codes_begins_once" AFTER INSERT ON "recovery_codes"
  FOR EACH ROW EXECUTE FUNCTION "recovery_codes_begins_once"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "trusted_browsers_begins_once"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."ended_rows" e WHERE e."relation" = 'trusted_browsers' AND e."key" = NEW.id::text) THEN
    PERFORM "public"."no_machine_allows"('what was deleted does not begin again', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "trusted_browsers_begins_once" AFTER INSERT ON "trusted_browsers"
  FOR EACH ROW EXECUTE FUNCTION "trusted_browsers_begins_once"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sign_in_codes_begins_once"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."ended_rows" e WHERE e."relation" = 'sign_in_codes' AND e."key" = NEW.id::text) THEN
    PERFORM "public"."no_machine_allows"('what was deleted does not begin again', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sign_in_codes_begins_once" AFTER INSERT ON "sign_in_codes"
  FOR EACH ROW EXECUTE FUNCTION "sign_in_codes_begins_once"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "operator_set_ups_begins_once"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."ended_rows" e WHERE e."relation" = 'operator_set_ups' AND e."key" = NEW.id::text) THEN
    PERFORM "public"."no_machine_allows"('what was deleted does not begin again', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "operator_set_ups_begins_once" AFTER INSERT ON "operator_set_ups"
  FOR EACH ROW EXECUTE FUNCTION "operator_set_ups_begins_once"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "grants_begins_once"() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."transitions" t WHERE t."shard_key" = NEW."id" AND t."grant_id" = NEW."id")
    AND NOT EXISTS (SELECT FROM "public"."grants" g WHERE g."id" = NEW."id") THEN
    PERFORM "public"."no_machine_allows"('a grant that the ledger knows does not begin again', NEW.id::text, TG_NAME, TG_OP, TG_TABLE_NAME);
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_begins_once" BEFORE INSERT ON "grants"
  FOR EACH ROW EXECUTE FUNCTION "grants_begins_once"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "remember_ended_row"(relation_ text, key_ text, until_ timestamptz)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF until_ IS NOT NULL AND until_ <= now() THEN
    RETURN;
  END IF;
  INSERT INTO "public"."ended_rows" AS e ("relation", "key", "forget_at") VALUES (relation_, key_, until_)
    ON CONFLICT ("relation", "key") DO UPDATE SET "forget_at" = CASE WHEN e."forget_at" IS NULL OR EXCLUDED."forget_at" IS NULL THEN NULL
      ELSE greatest(e."forget_at", EXCLUDED."forget_at") END;
  DELETE FROM "public"."ended_rows" WHERE ("relation", "key") IN (SELECT e."relation", e."key" FROM "public"."ended_rows" e
    WHERE e."forget_at" < now() ORDER BY e."forget_at" LIMIT 2 FOR UPDATE SKIP LOCKED);
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sessions_remembers_its_end"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."remember_ended_row"('sessions', OLD.sid::text, CASE WHEN OLD.state = 'ended' THEN now() + interval '2592000 seconds' ELSE OLD.ends_at END);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sessions_remembers_its_end" AFTER DELETE ON "sessions"
  FOR EACH ROW EXECUTE FUNCTION "sessions_remembers_its_end"();
--> statement-breakpoint
REVOKE ALL ON FUNCTION "sessions_remembers_its_end"() FROM PUBLIC;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "email_challenges_remembers_its_end"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."remember_ended_row"('email_challenges', OLD.id::text, OLD.ends_at);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "email_challenges_remembers_its_end" AFTER DELETE ON "email_challenges"
  FOR EACH ROW EXECUTE FUNCTION "email_challenges_remembers_its_end"();
--> statement-breakpoint
REVOKE ALL ON FUNCTION "email_challenges_remembers_its_end"() FROM PUBLIC;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "passkeys_remembers_its_end"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."remember_ended_row"('passkeys', OLD.id::text, NULL);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "passkeys_remembers_its_end" AFTER DELETE ON "passkeys"
  FOR EACH ROW EXECUTE FUNCTION "passkeys_remembers_its_end"();
--> statement-breakpoint
REVOKE ALL ON FUNCTION "passkeys_remembers_its_end"() FROM PUBLIC;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "linked_identities_remembers_its_end"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."remember_ended_row"('linked_identities', OLD.id::text, NULL);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "linked_identities_remembers_its_end" AFTER DELETE ON "linked_identities"
  FOR EACH ROW EXECUTE FUNCTION "linked_identities_remembers_its_end"();
--> statement-breakpoint
REVOKE ALL ON FUNCTION "linked_identities_remembers_its_end"() FROM PUBLIC;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "consents_remembers_its_end"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."remember_ended_row"('consents', OLD.id::text, NULL);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "consents_remembers_its_end" AFTER DELETE ON "consents"
  FOR EACH ROW EXECUTE FUNCTION "consents_remembers_its_end"();
--> statement-breakpoint
REVOKE ALL ON FUNCTION "consents_remembers_its_end"() FROM PUBLIC;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "second_factors_remembers_its_end"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."remember_ended_row"('second_factors', OLD.id::text, NULL);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "second_factors_remembers_its_end" AFTER DELETE ON "second_factors"
  FOR EACH ROW EXECUTE FUNCTION "second_factors_remembers_its_end"();
--> statement-breakpoint
REVOKE ALL ON FUNCTION "second_factors_remembers_its_end"() FROM PUBLIC;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "mails_remembers_its_end"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."remember_ended_row"('mails', OLD.id::text, OLD.gives_up_at);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "mails_remembers_its_end" AFTER DELETE ON "mails"
  FOR EACH ROW EXECUTE FUNCTION "mails_remembers_its_end"();
--> statement-breakpoint
REVOKE ALL ON FUNCTION "mails_remembers_its_end"() FROM PUBLIC;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "recovery_codes_remembers_its_end"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."remember_ended_row"('recovery_codes', encode(OLD.code_hash, 'hex'), NULL);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "recovery_codes_remembers_its_end" AFTER DELETE ON "recovery_codes"
  FOR EACH ROW EXECUTE FUNCTION "recovery_codes_remembers_its_end"();
--> statement-breakpoint
REVOKE ALL ON FUNCTION "recovery_codes_remembers_its_end"() FROM PUBLIC;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "trusted_browsers_remembers_its_end"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."remember_ended_row"('trusted_browsers', OLD.id::text, OLD.ends_at);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "trusted_browsers_remembers_its_end" AFTER DELETE ON "trusted_browsers"
  FOR EACH ROW EXECUTE FUNCTION "trusted_browsers_remembers_its_end"();
--> statement-breakpoint
REVOKE ALL ON FUNCTION "trusted_browsers_remembers_its_end"() FROM PUBLIC;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "sign_in_codes_remembers_its_end"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."remember_ended_row"('sign_in_codes', OLD.id::text, OLD.ends_at);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "sign_in_codes_remembers_its_end" AFTER DELETE ON "sign_in_codes"
  FOR EACH ROW EXECUTE FUNCTION "sign_in_codes_remembers_its_end"();
--> statement-breakpoint
REVOKE ALL ON FUNCTION "sign_in_codes_remembers_its_end"() FROM PUBLIC;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "operator_set_ups_remembers_its_end"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM "public"."remember_ended_row"('operator_set_ups', OLD.id::text, NULL);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "operator_set_ups_remembers_its_end" AFTER DELETE ON "operator_set_ups"
  FOR EACH ROW EXECUTE FUNCTION "operator_set_ups_remembers_its_end"();
--> statement-breakpoint
REVOKE ALL ON FUNCTION "operator_set_ups_remembers_its_end"() FROM PUBLIC;
--> statement-breakpoint
DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'transitions'::regclass LOOP
    EXECUTE format($hold$create or replace trigger transitions_is_not_emptied before truncate on %I
    for each statement execute function transitions_is_not_emptied()$hold$, name);
  END LOOP;
END
$$;
--> statement-breakpoint
DO $$
DECLARE
  other regprocedure;
BEGIN
  FOR other IN SELECT DISTINCT p.oid::regprocedure FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE p.proname = t.tgname AND p.prosrc ~ 'no_machine_allows|remember_ended_row' AND p.proname NOT IN (
      'grants_begins_once',
      'client_id_is_no_sub',
      'sub_is_no_client_id',
      'sessions_begins_with_its_machine',
      'sessions_keeps_what_signed_in',
      'sessions_moves_with_its_machine',
      'sessions_is_renewed_with_a_factor',
      'sessions_ends_once_with_a_reason',
      'sessions_is_used_while_active',
      'email_challenges_begins_with_its_machine',
      'email_challenges_counts_newer_links',
      'email_challenges_keeps_what_was_sent',
      'email_challenges_moves_with_its_machine',
      'email_challenges_superseded_with_a_reason',
      'passkeys_begins_with_its_machine',
      'passkeys_keeps_its_owner',
      'passkeys_moves_with_its_machine',
      'passkeys_counter_rises',
      'passkeys_removed_stays_removed',
      'passkeys_is_not_emptied',
      'linked_identities_begins_with_its_machine',
      'linked_identities_keeps_what_was_linked',
      'linked_identities_moves_with_its_machine',
      'linked_identities_ends_once_with_a_reason',
      'linked_identities_stays_until_it_is_removed',
      'linked_identities_is_not_emptied',
      'consents_keeps_whose_it_is',
      'second_factors_begins_with_its_machine',
      'second_factors_keeps_its_owner',
      'second_factors_moves_with_its_machine',
      'second_factors_accepts_a_code_once',
      'second_factors_removed_stays_removed',
      'second_factors_is_not_emptied',
      'mails_begins_with_its_machine',
      'mails_keeps_what_was_written',
      'mails_moves_with_its_machine',
      'mails_ends_once_with_a_reason',
      'mails_is_attempted_while_pending',
      'mails_contents_are_only_erased',
      'mails_is_not_emptied',
      'recovery_codes_begins_with_its_machine',
      'recovery_codes_keeps_its_owner',
      'recovery_codes_moves_with_its_machine',
      'recovery_codes_is_not_emptied',
      'trusted_browsers_begins_with_its_machine',
      'trusted_browsers_keeps_its_owner',
      'trusted_browsers_moves_with_its_machine',
      'trusted_browsers_stays_ended',
      'trusted_browsers_is_not_emptied',
      'interactions_begins_with_its_machine',
      'interactions_keeps_what_was_asked',
      'interactions_moves_with_its_machine',
      'interactions_keeps_its_user',
      'interactions_stays_until_its_end',
      'interactions_is_not_emptied',
      'pushed_requests_begins_with_its_machine',
      'pushed_requests_keeps_what_was_pushed',
      'pushed_requests_moves_with_its_machine',
      'pushed_requests_is_erased_with_its_state',
      'pushed_requests_stays_until_its_end',
      'pushed_requests_is_not_emptied',
      'external_sign_ins_begins_with_its_machine',
      'external_sign_ins_keeps_what_began',
      'external_sign_ins_moves_with_its_machine',
      'external_sign_ins_answer_comes_with_its_state',
      'external_sign_ins_stays_until_its_end',
      'external_sign_ins_is_not_emptied',
      'sign_in_codes_begins_with_its_machine',
      'sign_in_codes_keeps_what_was_asked',
      'sign_in_codes_moves_with_its_machine',
      'sign_in_codes_is_sent_once',
      'sign_in_codes_counts_wrong_codes',
      'sign_in_codes_is_not_emptied',
      'grants_begins_with_its_machine',
      'grants_keeps_what_was_approved',
      'grants_moves_with_its_machine',
      'grants_ends_once_with_a_reason',
      'grants_head_moves_by_one',
      'grants_times_move_with_the_head',
      'grants_stays_until_its_end',
      'grants_is_not_emptied',
      'signing_keys_begins_with_its_machine',
      'signing_keys_keeps_what_was_published',
      'signing_keys_moves_with_its_machine',
      'signing_keys_retires_with_a_reason',
      'signing_keys_instants_stay',
      'signing_keys_erased_stays_erased',
      'signing_keys_stays',
      'signing_keys_is_not_emptied',
      'client_documents_begins_with_its_machine',
      'client_documents_keeps_its_url',
      'client_documents_moves_with_its_machine',
      'client_documents_stays_while_it_counts',
      'client_documents_is_not_emptied',
      'client_registrations_begins_with_its_machine',
      'client_registrations_keeps_its_token',
      'client_registrations_moves_with_its_machine',
      'client_registrations_stays_until_its_end',
      'client_registrations_is_not_emptied',
      'clients_begins_with_its_machine',
      'clients_keeps_its_id',
      'clients_epoch_rises',
      'clients_deletion_raises_epoch',
      'clients_deleted_has_no_secret',
      'clients_stays',
      'clients_is_not_emptied',
      'users_begins_with_its_machine',
      'users_keeps_its_sub',
      'users_moves_with_its_machine',
      'users_epoch_rises',
      'users_disabling_raises_epoch',
      'users_deletion_raises_epoch',
      'users_deletion_erases',
      'users_erased_stays_erased',
      'users_stays',
      'users_is_not_emptied',
      'webhook_deliveries_begins_with_its_machine',
      'webhook_deliveries_keeps_its_event',
      'webhook_deliveries_moves_with_its_machine',
      'webhook_deliveries_ends_once_with_a_reason',
      'webhook_deliveries_is_attempted_while_pending',
      'webhook_deliveries_stays_until_it_has_ended',
      'webhook_deliveries_is_not_emptied',
      'operator_set_ups_begins_with_its_machine',
      'operator_set_ups_keeps_what_was_issued',
      'operator_set_ups_moves_with_its_machine',
      'operator_set_ups_makes_one_operator',
      'operator_set_ups_ends_with_a_reason',
      'operator_set_ups_is_not_emptied',
      'configured_secrets_keeps_its_name',
      'configured_secrets_stays_replaced',
      'configured_secrets_stays',
      'configured_secrets_is_not_emptied',
      'used_jtis_begins_in_its_time',
      'used_jtis_keeps_its_use',
      'used_jtis_stays_until_its_end',
      'used_jtis_is_not_emptied',
      'server_epoch_rises',
      'server_stays',
      'server_is_not_emptied',
      'transitions_append_only',
      'transitions_is_not_emptied',
      'client_registrations_mac_moves_on',
      'clients_mac_moves_on',
      'consents_mac_moves_on',
      'email_challenges_mac_moves_on',
      'external_sign_ins_mac_moves_on',
      'linked_identities_mac_moves_on',
      'operator_set_ups_mac_moves_on',
      'passkeys_mac_moves_on',
      'sessions_mac_moves_on',
      'sign_in_codes_mac_moves_on',
      'signing_keys_mac_moves_on',
      'trusted_browsers_mac_moves_on',
      'users_mac_moves_on',
      'sessions_begins_once',
      'email_challenges_begins_once',
      'passkeys_begins_once',
      'linked_identities_begins_once',
      'consents_begins_once',
      'second_factors_begins_once',
      'mails_begins_once',
      'recovery_codes_begins_once',
      'trusted_browsers_begins_once',
      'sign_in_codes_begins_once',
      'operator_set_ups_begins_once',
      'sessions_remembers_its_end',
      'email_challenges_remembers_its_end',
      'passkeys_remembers_its_end',
      'linked_identities_remembers_its_end',
      'consents_remembers_its_end',
      'second_factors_remembers_its_end',
      'mails_remembers_its_end',
      'recovery_codes_remembers_its_end',
      'trusted_browsers_remembers_its_end',
      'sign_in_codes_remembers_its_end',
      'operator_set_ups_remembers_its_end')
  LOOP
    EXECUTE format('DROP FUNCTION %s CASCADE', other);
  END LOOP;
END
$$;
