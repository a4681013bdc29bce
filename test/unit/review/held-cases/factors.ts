/** Authenticator apps, recovery codes and passkeys: how they begin, which columns only rise, and that a removed one stays removed. */
import { APP, CODE, PASSKEY } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateOf } from './case.ts';

const updateApp = updateOf('second_factors', 'id');
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

const REMOVED = { state: "'removed'", removed_at: 'now()' } as const;
const APP_BEGINS = 'second_factors_begins_with_its_machine';
const CODE_BEGINS = 'recovery_codes_begins_with_its_machine';
const ONCE = 'second_factors_accepts_a_code_once';
const APP_REMOVED = 'second_factors_removed_stays_removed';
const PASSKEY_REMOVED = 'passkeys_removed_stays_removed';
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
];
