/** Secrets that configuration names: their version only rises, so that no earlier value comes back. */
import { SECRET } from '../held-rows.ts';
import { allowed, type HeldCase, refused, updateOf } from './case.ts';

const update = updateOf('configured_secrets', 'name');
const STAYS = 'configured_secrets_stays_replaced';

export const configuredSecretCases: readonly HeldCase[] = [
  allowed(
    'a secret is set for the first time',
    "insert into configured_secrets values ('NEW', 1, 'sealed', now()) returning 1",
  ),
  allowed(
    'a secret is replaced',
    update(SECRET.set, "version = version + 1, sealed_value = 'another', changed_at = now()"),
  ),
  allowed('a secret is sealed again under another root secret', update(SECRET.set, "sealed_value = 'the same'")),
  allowed('a secret is removed', update(SECRET.set, 'version = version + 1, sealed_value = null')),
  allowed('a removed secret is set', update(SECRET.removed, "version = version + 1, sealed_value = 'another'")),
  allowed('a removed secret is removed again', update(SECRET.removed, 'sealed_value = null')),
  refused(STAYS, 'the version of a secret falls', update(SECRET.set, 'version = version - 1')),
  refused(
    STAYS,
    'an earlier version of a secret comes back',
    update(SECRET.set, "version = 1, sealed_value = 'earlier'"),
  ),
  refused(STAYS, 'a removed secret comes back', update(SECRET.removed, "sealed_value = 'earlier'")),
  refused(
    'configured_secrets_stays',
    'a secret loses its row',
    `delete from configured_secrets where name = '${SECRET.removed}'`,
  ),
  refused('configured_secrets_is_not_emptied', 'secrets are emptied', 'truncate configured_secrets'),
];
