/** Authenticator apps, recovery codes, passkeys and trusted browsers: how they begin, what only rises, and that an end is an end. */
import { APP, CODE, PASSKEY, TRUSTED } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateOf } from './case.ts';

const updateApp = updateOf('second_factors', 'id');
const updateTrusted = updateOf('trusted_browsers', 'id');
const updatePasskey = updateOf('passkeys', 'id');

type Values = Readonly<Record<string, string>>;
const insertApp = (instead: Values = {}): string =>
  insertCopy({
    table: 'second_factors',
    where: `id = '${APP.active}'`,
    columns: 'user_id, created_at',
    values: { id: 'gen_random_uuid()', state: "'unconfirmed'", sealed_secret: "'sea1ed'", ...instead },
  });
const insertCode = (instead: Values = {}): string =>
  insertCopy({
    table: 'recovery_codes',
    where: `id = '${CODE.active}'`,
    columns: 'user_id, created_at',
    values: { id: 'gen_random_uuid()', state: "'active'", code_hash: "'\\xc0de'", ...instead },
  });
const insertPasskey = (instead: Values = {}): string =>
  insertCopy({
    table: 'passkeys',
    where: `id = '${PASSKEY.active}'`,
    columns: 'user_id, name, counter, backup_eligible, transports, created_at',
    values: {
      id: 'gen_random_uuid()',
      state: "'active'",
      credential_id: "'\\xcd'",
      public_key: "'\\xaced'",
      ...instead,
    },
  });

const insertTrusted = (instead: Values = {}): string =>
  insertCopy({
    table: 'trusted_browsers',
    where: `id = '${TRUSTED.active}'`,
    columns: 'user_id, user_epoch, server_epoch, factor_id, created_at, ends_at',
    values: { id: 'gen_random_uuid()', state: "'active'", secret_hash: "'\\xc0de'", ...instead },
  });

const REMOVED = { state: "'removed'", removed_at: 'now()' } as const;
const APP_BEGINS = 'second_factors_begins_with_its_machine';
const CODE_BEGINS = 'recovery_codes_begins_with_its_machine';
const ONCE = 'second_factors_accepts_a_code_once';
const APP_REMOVED = 'second_factors_removed_stays_removed';
const PASSKEY_REMOVED = 'passkeys_removed_stays_removed';
const TRUST_ENDED = 'trusted_browsers_stays_ended';
const DATED_AGAIN = "removed_at = removed_at - interval '1 s'";

export const factorCases: readonly HeldCase[] = [
  // Authenticator apps.
  allowed('an app is set up', insertApp()),
  refused(APP_BEGINS, 'an app begins as active', insertApp({ state: "'active'", last_step: '5' })),
  refused(APP_BEGINS, 'an app begins as removed', insertApp({ ...REMOVED, sealed_secret: 'null' })),
  refused(APP_BEGINS, 'an app begins with an accepted code', insertApp({ last_step: '5' })),
  allowed('a later code is accepted', updateApp(APP.active, 'last_step = last_step + 1')),
  allowed('the secret is sealed again', updateApp(APP.active, "sealed_secret = 'sea1ed again'")),
  refused(ONCE, 'an earlier code is accepted', updateApp(APP.active, 'last_step = last_step - 1')),
  refused(
    ONCE,
    'an app is removed, and its last step forgotten',
    updateApp(APP.active, "state = 'removed', removed_at = now(), sealed_secret = null, last_step = null"),
  ),
  refused(ONCE, 'a removed app accepts a code', updateApp(APP.removed, 'last_step = last_step + 1')),
  refused(APP_REMOVED, 'the removal of an app is dated again', updateApp(APP.removed, DATED_AGAIN)),
  refused('second_factors_is_not_emptied', 'apps are emptied', 'truncate second_factors'),

  // Recovery codes.
  allowed('a recovery code is drawn', insertCode()),
  ...['used', 'replaced'].map((state) =>
    refused(CODE_BEGINS, `a recovery code begins as ${state}`, insertCode({ state: `'${state}'`, ended_at: 'now()' })),
  ),
  refused('recovery_codes_is_not_emptied', 'recovery codes are emptied', 'truncate recovery_codes'),

  // Passkeys.
  allowed('a passkey is registered', insertPasskey()),
  refused(
    'passkeys_begins_with_its_machine',
    'a passkey begins as removed',
    insertPasskey({ ...REMOVED, public_key: 'null' }),
  ),
  allowed('a passkey signs', updatePasskey(PASSKEY.active, 'counter = counter + 1, last_used_at = now()')),
  allowed(
    'a passkey that does not count signs',
    updatePasskey(PASSKEY.active, 'counter = counter, last_used_at = now()'),
  ),
  refused('passkeys_counter_rises', 'a counter falls', updatePasskey(PASSKEY.active, 'counter = counter - 1')),
  allowed('a passkey is renamed', updatePasskey(PASSKEY.active, "name = 'another'")),
  refused(PASSKEY_REMOVED, 'a removed passkey is renamed', updatePasskey(PASSKEY.removed, "name = 'another'")),
  refused(PASSKEY_REMOVED, 'the removal of a passkey is dated again', updatePasskey(PASSKEY.removed, DATED_AGAIN)),
  refused('passkeys_is_not_emptied', 'passkeys are emptied', 'truncate passkeys'),

  // Trusted browsers.
  allowed('a browser is trusted', insertTrusted()),
  refused(
    'trusted_browsers_begins_with_its_machine',
    'trust begins as ended',
    insertTrusted({ state: "'ended'", ended_at: 'now()', secret_hash: 'null' }),
  ),
  allowed('a trusted browser is used', updateTrusted(TRUSTED.active, 'last_used_at = now()')),
  refused(TRUST_ENDED, 'trust gets another secret', updateTrusted(TRUSTED.active, "secret_hash = '\\xc0de01'")),
  refused(TRUST_ENDED, 'ended trust is used', updateTrusted(TRUSTED.ended, "last_used_at = now() + interval '1 s'")),
  refused(
    TRUST_ENDED,
    'the end of trust is dated again',
    updateTrusted(TRUSTED.ended, "ended_at = ended_at - interval '1 s'"),
  ),
  refused('trusted_browsers_is_not_emptied', 'trust is emptied', 'truncate trusted_browsers'),
];
