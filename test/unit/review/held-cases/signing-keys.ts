/** Signing keys: how one is stored, how it retires, and what has happened to it for good. */
import { KEY } from '../held-rows.ts';
import { allowed, type HeldCase, refused, updateKey } from './case.ts';

const BEGINS = 'signing_keys_begins_with_its_machine';
const RETIRES = 'signing_keys_retires_with_a_reason';
const INSTANTS = 'signing_keys_instants_stay';

const insertKey = (state: string, instead: Readonly<Record<string, string>> = {}) => {
  const values = {
    kid: "'new'",
    alg: "'new'",
    public_jwk: "'{}'",
    may_sign_at: 'now()',
    state: `'${state}'`,
    private_jwe: "'5ea1ed'",
    began_signing_at: state === 'signing' ? 'now()' : 'null',
    ...instead,
  };
  return `insert into signing_keys (${Object.keys(values).join(', ')}) values (${Object.values(values).join(', ')}) returning 1`;
};

export const signingKeyCases: readonly HeldCase[] = [
  allowed('a key is inserted as published', insertKey('published')),
  allowed('a key is inserted as signing', insertKey('signing')),
  refused(
    BEGINS,
    'a key is inserted as retiring',
    insertKey('retiring', { private_jwe: 'null', stopped_signing_at: 'now()' }),
  ),
  refused(
    BEGINS,
    'a key is inserted as retired',
    insertKey('retired', { private_jwe: 'null', retired_at: 'now()', retired_reason: "'tokens_expired'" }),
  ),
  refused(
    BEGINS,
    'a published key is inserted that has stopped',
    insertKey('published', { stopped_signing_at: 'now()' }),
  ),
  refused(BEGINS, 'a published key is inserted that has retired', insertKey('published', { retired_at: 'now()' })),
  allowed('a key is encrypted again', updateKey(KEY.signing, "private_jwe = 'again'")),
  allowed('a rotation is requested', updateKey(KEY.signing, 'rotation_asked_at = now()')),
  refused(
    RETIRES,
    'a retired key gets another reason',
    updateKey(KEY.retired, "retired_reason = 'revocation_requested'"),
  ),
  refused(RETIRES, 'a retired key gets another instant', updateKey(KEY.retired, "retired_at = now() + interval '1 s'")),
  refused(RETIRES, 'a signing key gets an end', updateKey(KEY.signing, 'retired_at = now()')),
  refused(
    INSTANTS,
    'a retiring key loses the instant of its first signature',
    updateKey(KEY.retiring, 'began_signing_at = null'),
  ),
  refused(
    INSTANTS,
    'a retiring key loses the instant of its last signature',
    updateKey(
      KEY.retiring,
      "state = 'retired', retired_at = now(), retired_reason = 'tokens_expired', stopped_signing_at = null",
    ),
  ),
  refused(
    INSTANTS,
    'a retired key stopped signing later',
    updateKey(KEY.retired, "stopped_signing_at = now() + interval '1 s'"),
  ),
  refused(
    INSTANTS,
    'a retired key began to sign later',
    updateKey(KEY.retired, "began_signing_at = now() + interval '1 s'"),
  ),
  ...Object.values(KEY).map((kid) =>
    refused('signing_keys_stays', `key ${kid} is removed`, `delete from signing_keys where kid = '${kid}'`),
  ),
  // docs/deploying.md, "If it leaked".
  allowed(
    'every key retires in one statement',
    "update signing_keys set state = 'retired', private_jwe = null, retired_at = now(), retired_reason = 'revocation_requested' where state <> 'retired' returning 1",
  ),
  refused('signing_keys_is_not_emptied', 'keys are emptied', 'truncate signing_keys'),
];
