-- Made from the machines by "npm run machines:build" (src/review/sql/). Never edited: when machines change, the next such migration
-- replaces these triggers. Each WHEN says what is refused, so that whatever the machines allow runs no function. AFTER, because a
-- BEFORE trigger would make Postgres lock each row once more.

CREATE OR REPLACE FUNCTION "no_machine_allows"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  key text := coalesce(to_jsonb(OLD), to_jsonb(NEW)) ->> TG_ARGV[1];
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'SH001', MESSAGE = TG_ARGV[0] || ': ' || TG_OP || ' on ' || TG_TABLE_NAME || ' is refused',
    DETAIL = coalesce('The row is ' || key || '.', ''), HINT = 'docs/deploying.md, "What the database holds".',
    CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "grant_is_born_once"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."transitions" t WHERE t."grant_id" = NEW."id") THEN
    RAISE EXCEPTION USING ERRCODE = 'SH001', MESSAGE = 'a grant that the ledger knows is not born again: INSERT on grants is refused',
      DETAIL = 'The row is ' || NEW."id" || '.', HINT = 'docs/deploying.md, "What the database holds".',
      CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA;
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_is_born_new" AFTER INSERT ON "grants"
  FOR EACH ROW
  WHEN (NEW.state <> 'active'
    OR NEW.revoked_at IS NOT NULL
    OR NEW.refresh_generation IS NOT NULL
    OR NEW.last_used_at IS NOT NULL
    OR NEW.chain_ends_at IS NOT NULL)
  EXECUTE FUNCTION "no_machine_allows"('a grant begins in the first state of its machine, with no head and no end', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_keeps_what_was_approved" AFTER UPDATE OF id, interaction_id, client_id, subject_id, client_epoch, subject_epoch, server_epoch, scope, resources, policy, code_hash, code_challenge, redirect_uri, identity, code_ends_at, created_at ON "grants"
  FOR EACH ROW
  WHEN (((NEW.id, NEW.interaction_id, NEW.client_id, NEW.subject_id, NEW.client_epoch, NEW.subject_epoch, NEW.server_epoch, NEW.scope, NEW.resources, NEW.policy, NEW.code_hash, NEW.code_challenge, NEW.redirect_uri, NEW.identity, NEW.code_ends_at, NEW.created_at) IS DISTINCT FROM (OLD.id, OLD.interaction_id, OLD.client_id, OLD.subject_id, OLD.client_epoch, OLD.subject_epoch, OLD.server_epoch, OLD.scope, OLD.resources, OLD.policy, OLD.code_hash, OLD.code_challenge, OLD.redirect_uri, OLD.identity, OLD.code_ends_at, OLD.created_at)))
  EXECUTE FUNCTION "no_machine_allows"('what was approved does not change', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_moves_with_its_machine" AFTER UPDATE OF state ON "grants"
  FOR EACH ROW
  WHEN (NEW.state <> OLD.state AND NOT ((OLD.state = 'active' AND NEW.state = 'revoked')))
  EXECUTE FUNCTION "no_machine_allows"('no arm of the grant machine leads there', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_ends_once_with_a_reason" AFTER UPDATE OF revoked_at, revoked_reason ON "grants"
  FOR EACH ROW
  WHEN (NEW.state = OLD.state AND ((NEW.revoked_at, NEW.revoked_reason) IS DISTINCT FROM (OLD.revoked_at, OLD.revoked_reason))
    OR OLD.state = 'active' AND NEW.state = 'revoked' AND NEW.revoked_at IS NULL
    OR OLD.state = 'active' AND NEW.state = 'revoked' AND NOT coalesce((NEW.revoked_reason IN ('authorization_code_reused', 'refresh_token_reused', 'chain_behind_token', 'revocation_requested')), false))
  EXECUTE FUNCTION "no_machine_allows"('a grant ends once, with an instant and a reason that its machine writes', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_head_moves_by_one" AFTER UPDATE OF refresh_generation, refresh_nonce ON "grants"
  FOR EACH ROW
  WHEN (((NEW.refresh_generation, NEW.refresh_nonce) IS DISTINCT FROM (OLD.refresh_generation, OLD.refresh_nonce)) AND (
    (OLD.state IN ('revoked'))
    OR NEW.state <> OLD.state
    OR NEW.refresh_generation IS DISTINCT FROM coalesce(OLD.refresh_generation + 1, 0)
    OR NEW.refresh_nonce IS NOT DISTINCT FROM OLD.refresh_nonce
    OR octet_length(NEW.refresh_nonce) IS DISTINCT FROM 16
    OR NEW.last_used_at IS NULL
    OR NEW.chain_ends_at IS NULL))
  EXECUTE FUNCTION "no_machine_allows"('the head of a chain moves forward by one, with a fresh nonce, while its grant lives', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_times_move_with_the_head" AFTER UPDATE OF last_used_at, chain_ends_at ON "grants"
  FOR EACH ROW
  WHEN (NOT (NEW.refresh_generation IS DISTINCT FROM OLD.refresh_generation) AND ((NEW.last_used_at, NEW.chain_ends_at) IS DISTINCT FROM (OLD.last_used_at, OLD.chain_ends_at)))
  EXECUTE FUNCTION "no_machine_allows"('the last use and the end of a chain change only when its head moves', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_stays_until_its_end" AFTER DELETE ON "grants"
  FOR EACH ROW
  WHEN (coalesce(OLD.chain_ends_at, OLD.code_ends_at) >= now() - interval '3600 seconds')
  EXECUTE FUNCTION "no_machine_allows"('a grant stays until the life of its last access token is over', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_is_not_emptied" BEFORE TRUNCATE ON "grants"
  FOR EACH STATEMENT
  EXECUTE FUNCTION "no_machine_allows"('grants end one by one', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "interactions_is_born_new" AFTER INSERT ON "interactions"
  FOR EACH ROW
  WHEN (NEW.state <> 'awaitingSignIn'
    OR NEW.subject_id IS NOT NULL)
  EXECUTE FUNCTION "no_machine_allows"('an interaction begins in the first state of its machine, with nobody', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "interactions_keeps_what_was_asked" AFTER UPDATE OF id, browser_hash, client_id, client_epoch, redirect_uri, code_challenge, scope, resources, request_state, nonce, prompt, max_age_seconds, hinted_subject_id, login_hint, response_mode, created_at, ends_at ON "interactions"
  FOR EACH ROW
  WHEN (((NEW.id, NEW.browser_hash, NEW.client_id, NEW.client_epoch, NEW.redirect_uri, NEW.code_challenge, NEW.scope, NEW.resources, NEW.request_state, NEW.nonce, NEW.prompt, NEW.max_age_seconds, NEW.hinted_subject_id, NEW.login_hint, NEW.response_mode, NEW.created_at, NEW.ends_at) IS DISTINCT FROM (OLD.id, OLD.browser_hash, OLD.client_id, OLD.client_epoch, OLD.redirect_uri, OLD.code_challenge, OLD.scope, OLD.resources, OLD.request_state, OLD.nonce, OLD.prompt, OLD.max_age_seconds, OLD.hinted_subject_id, OLD.login_hint, OLD.response_mode, OLD.created_at, OLD.ends_at)))
  EXECUTE FUNCTION "no_machine_allows"('what the client asked for does not change', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "interactions_moves_with_its_machine" AFTER UPDATE OF state ON "interactions"
  FOR EACH ROW
  WHEN (NEW.state <> OLD.state AND NOT ((OLD.state = 'awaitingSignIn' AND NEW.state = 'denied') OR (OLD.state = 'awaitingSignIn' AND NEW.state = 'approved') OR (OLD.state = 'awaitingSignIn' AND NEW.state = 'awaitingConsent') OR (OLD.state = 'awaitingConsent' AND NEW.state = 'denied') OR (OLD.state = 'awaitingConsent' AND NEW.state = 'approved')))
  EXECUTE FUNCTION "no_machine_allows"('no arm of the interaction machine leads there', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "interactions_is_answered_by_one" AFTER UPDATE OF state, subject_id ON "interactions"
  FOR EACH ROW
  WHEN ((OLD.state IN ('approved', 'denied')) AND (NEW.subject_id IS DISTINCT FROM OLD.subject_id)
    OR (NEW.state IN ('approved')) AND NEW.subject_id IS NULL)
  EXECUTE FUNCTION "no_machine_allows"('whoever answered stays, and nobody approves nothing', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "interactions_stays_until_its_end" AFTER DELETE ON "interactions"
  FOR EACH ROW
  WHEN (OLD.ends_at >= now())
  EXECUTE FUNCTION "no_machine_allows"('an interaction stays until it has ended', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "interactions_is_not_emptied" BEFORE TRUNCATE ON "interactions"
  FOR EACH STATEMENT
  EXECUTE FUNCTION "no_machine_allows"('interactions end one by one', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_is_born_to_sign" AFTER INSERT ON "signing_keys"
  FOR EACH ROW
  WHEN (NOT (NEW.state IN ('published', 'signing'))
    OR NEW.stopped_signing_at IS NOT NULL
    OR NEW.retired_at IS NOT NULL)
  EXECUTE FUNCTION "no_machine_allows"('a key begins as published, or signs at once', 'kid');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_keeps_what_was_published" AFTER UPDATE OF kid, alg, public_jwk, created_at, may_sign_at ON "signing_keys"
  FOR EACH ROW
  WHEN (((NEW.kid, NEW.alg, NEW.public_jwk, NEW.created_at, NEW.may_sign_at) IS DISTINCT FROM (OLD.kid, OLD.alg, OLD.public_jwk, OLD.created_at, OLD.may_sign_at)))
  EXECUTE FUNCTION "no_machine_allows"('what was published of a key does not change', 'kid');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_moves_with_its_machine" AFTER UPDATE OF state ON "signing_keys"
  FOR EACH ROW
  WHEN (NEW.state <> OLD.state AND NOT ((OLD.state = 'published' AND NEW.state = 'signing') OR (OLD.state = 'published' AND NEW.state = 'retired') OR (OLD.state = 'signing' AND NEW.state = 'retiring') OR (OLD.state = 'signing' AND NEW.state = 'retired') OR (OLD.state = 'retiring' AND NEW.state = 'retired')))
  EXECUTE FUNCTION "no_machine_allows"('no arm of the signing-key machine leads there', 'kid');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_retires_with_a_reason" AFTER UPDATE OF retired_at, retired_reason ON "signing_keys"
  FOR EACH ROW
  WHEN (NEW.state = OLD.state AND ((NEW.retired_at, NEW.retired_reason) IS DISTINCT FROM (OLD.retired_at, OLD.retired_reason))
    OR OLD.state = 'published' AND NEW.state = 'retired' AND NOT coalesce((NEW.retired_reason IN ('revocation_requested')), false)
    OR OLD.state = 'signing' AND NEW.state = 'retired' AND NOT coalesce((NEW.retired_reason IN ('revocation_requested')), false)
    OR OLD.state = 'retiring' AND NEW.state = 'retired' AND NOT coalesce((NEW.retired_reason IN ('tokens_expired', 'revocation_requested')), false))
  EXECUTE FUNCTION "no_machine_allows"('a key retires once, with a reason that its machine writes', 'kid');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_instants_stay" AFTER UPDATE OF began_signing_at, stopped_signing_at ON "signing_keys"
  FOR EACH ROW
  WHEN (OLD.began_signing_at IS NOT NULL AND NEW.began_signing_at IS NULL
    OR OLD.stopped_signing_at IS NOT NULL AND NEW.stopped_signing_at IS NULL
    OR (OLD.state IN ('retired')) AND ((NEW.began_signing_at, NEW.stopped_signing_at) IS DISTINCT FROM (OLD.began_signing_at, OLD.stopped_signing_at)))
  EXECUTE FUNCTION "no_machine_allows"('what has happened to a key has happened', 'kid');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_erased_stays_erased" AFTER UPDATE OF private_jwe ON "signing_keys"
  FOR EACH ROW
  WHEN (OLD.private_jwe IS NULL AND NEW.private_jwe IS NOT NULL)
  EXECUTE FUNCTION "no_machine_allows"('a private half that was erased does not come back', 'kid');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_stays" AFTER DELETE ON "signing_keys"
  FOR EACH ROW
  EXECUTE FUNCTION "no_machine_allows"('a key stays, so that a retired one never comes back', 'kid');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "signing_keys_is_not_emptied" BEFORE TRUNCATE ON "signing_keys"
  FOR EACH STATEMENT
  EXECUTE FUNCTION "no_machine_allows"('keys retire one by one', 'kid');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "clients_epoch_rises" AFTER UPDATE OF epoch ON "clients"
  FOR EACH ROW
  WHEN (NEW.epoch < OLD.epoch)
  EXECUTE FUNCTION "no_machine_allows"('an epoch only rises', 'client_id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "clients_deletion_raises_epoch" AFTER UPDATE OF deleted_at ON "clients"
  FOR EACH ROW
  WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL AND NEW.epoch <= OLD.epoch)
  EXECUTE FUNCTION "no_machine_allows"('deleting a client raises its epoch', 'client_id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "users_epoch_rises" AFTER UPDATE OF epoch ON "users"
  FOR EACH ROW
  WHEN (NEW.epoch < OLD.epoch)
  EXECUTE FUNCTION "no_machine_allows"('an epoch only rises', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "users_disabling_raises_epoch" AFTER UPDATE OF disabled_at ON "users"
  FOR EACH ROW
  WHEN (OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL AND NEW.epoch <= OLD.epoch)
  EXECUTE FUNCTION "no_machine_allows"('disabling a person raises their epoch', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "server_epoch_rises" AFTER UPDATE OF epoch ON "server"
  FOR EACH ROW
  WHEN (NEW.epoch < OLD.epoch)
  EXECUTE FUNCTION "no_machine_allows"('an epoch only rises', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "server_stays" AFTER DELETE ON "server"
  FOR EACH ROW
  EXECUTE FUNCTION "no_machine_allows"('the server keeps its epoch', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "server_is_not_emptied" BEFORE TRUNCATE ON "server"
  FOR EACH STATEMENT
  EXECUTE FUNCTION "no_machine_allows"('the server keeps its epoch', 'id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "transitions_append_only" BEFORE UPDATE OR DELETE ON "transitions"
  FOR EACH ROW
  EXECUTE FUNCTION "no_machine_allows"('the ledger is append-only', 'grant_id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "transitions_is_not_emptied" BEFORE TRUNCATE ON "transitions"
  FOR EACH STATEMENT
  EXECUTE FUNCTION "no_machine_allows"('the ledger is append-only', 'grant_id');
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_is_born_once" BEFORE INSERT ON "grants"
  FOR EACH ROW EXECUTE FUNCTION "grant_is_born_once"();
--> statement-breakpoint
DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'transitions'::regclass LOOP
    EXECUTE format($hold$create or replace trigger transitions_is_not_emptied before truncate on %I
    for each statement execute function no_machine_allows('the ledger is append-only')$hold$, name);
  END LOOP;
END
$$;
--> statement-breakpoint
DO $$
DECLARE
  other record;
BEGIN
  FOR other IN SELECT t.tgname, c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE t.tgfoid = '"no_machine_allows"'::regproc AND t.tgparentid = 0 AND t.tgname NOT IN (
      'grants_is_born_new',
      'grants_keeps_what_was_approved',
      'grants_moves_with_its_machine',
      'grants_ends_once_with_a_reason',
      'grants_head_moves_by_one',
      'grants_times_move_with_the_head',
      'grants_stays_until_its_end',
      'grants_is_not_emptied',
      'interactions_is_born_new',
      'interactions_keeps_what_was_asked',
      'interactions_moves_with_its_machine',
      'interactions_is_answered_by_one',
      'interactions_stays_until_its_end',
      'interactions_is_not_emptied',
      'signing_keys_is_born_to_sign',
      'signing_keys_keeps_what_was_published',
      'signing_keys_moves_with_its_machine',
      'signing_keys_retires_with_a_reason',
      'signing_keys_instants_stay',
      'signing_keys_erased_stays_erased',
      'signing_keys_stays',
      'signing_keys_is_not_emptied',
      'clients_epoch_rises',
      'clients_deletion_raises_epoch',
      'users_epoch_rises',
      'users_disabling_raises_epoch',
      'server_epoch_rises',
      'server_stays',
      'server_is_not_emptied',
      'transitions_append_only',
      'transitions_is_not_emptied')
  LOOP
    EXECUTE format('DROP TRIGGER %I ON %I', other.tgname, other.relname);
  END LOOP;
END
$$;
--> statement-breakpoint
DROP FUNCTION IF EXISTS "transitions_are_append_only"();
