/**
 * The rows on which the cases of held-cases.ts are tested: at least one for each stored state of a machine, and a few at the edges of
 * time. They are inserted with the triggers off, since no statement that the triggers allow creates a revoked grant directly.
 */

import { sql } from 'drizzle-orm';
import type { Drizzle } from '../../../src/storage/database.ts';
import { keepLedgerPartitions } from '../../../src/storage/ledger-partitions.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { unheld } from '../../support/unheld.ts';

const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

export const GRANT = {
  /** Approved, and the code has not been exchanged. */
  waiting: id(1),
  /** Generation 0. */
  begun: id(2),
  /** Generation 5. */
  rotated: id(3),
  revoked: id(4),
  /** Revoked at generation 5. */
  revokedChain: id(5),
  /** Ended two hours ago, without an exchange. */
  endedCode: id(6),
  /** Ended two hours ago, at generation 5. */
  endedChain: id(7),
  /** Ended half an hour ago: its last access token may not have expired. */
  justEnded: id(8),
  /** Revoked, ended two hours ago. */
  endedRevoked: id(9),
  /** The same, and the ledger has no entry about it. */
  forgotten: id(10),
} as const;

export const INTERACTION = {
  awaitingSignIn: id(21),
  awaitingConsent: id(22),
  approved: id(23),
  denied: id(24),
  /** Ended two hours ago, unanswered. */
  ended: id(25),
} as const;

/** The key of each state has an algorithm of its own, so that each may sign. */
export const KEY = { published: 'p', signing: 's', retiring: 'r', retired: 'x' } as const;

export const SESSION = { active: id(41), ended: id(42), awaitingSecondFactor: id(43) } as const;

export const APP = { unconfirmed: id(71), active: id(72), removed: id(73) } as const;
export const CODE = { active: id(81), used: id(82), replaced: id(83) } as const;
export const PASSKEY = { active: id(91), removed: id(92) } as const;
export const TRUSTED = { active: id(95), ended: id(96) } as const;

export const DELIVERY = { pending: id(101), delivered: id(102), abandoned: id(103) } as const;
export const MAIL = { pending: id(111), sent: id(112), dropped: id(113) } as const;

export const EXTERNAL = {
  awaiting: id(51),
  answered: id(52),
  denied: id(53),
  used: id(54),
  /** Ended two hours ago, unanswered. */
  ended: id(55),
} as const;

/** Alice's, once it was sent. */
export const MAILED_CODE = {
  requested: id(121),
  active: id(122),
  used: id(123),
  spent: id(124),
  superseded: id(125),
} as const;

/** `used`: that of alice. */
export const SET_UP = { active: id(131), used: id(132), ended: id(133) } as const;

/** By name: with a value, and without one. */
export const SECRET = { set: 'CRM_SECRET', removed: 'OLD_SECRET' } as const;

export const PUSHED = { pushed: id(141), used: id(142), ended: id(143) } as const;
/** The ids of clients that registered themselves. `old`: no end-user used it in time. */
export const REGISTRATION = { unused: 'reg-unused', used: 'reg-used', ended: 'reg-ended', old: 'reg-old' } as const;
/** The ids of their clients. `old`: counts no more. */
export const DOCUMENT = {
  known: 'https://known.example/client',
  stale: 'https://stale.example/client',
  refused: 'https://refused.example/client',
  old: 'https://old.example/client',
} as const;
export const USED_JTI = { live: 'a live proof', expired: 'an expired proof' } as const;

export const IDENTITY = { active: id(61), removed: id(62) } as const;

/** Alice's; `forNobody`: without an account yet. */
export const LINK = { active: id(51), used: id(52), superseded: id(53), forNobody: id(54) } as const;

export const CONSENT = { given: id(111) } as const;

export const USER = { alice: id(31), bob: id(32), disabled: id(33), deleted: id(34) } as const;
export const CLIENT = { active: 'active', another: 'another', deleted: 'deleted' } as const;

/** Every text in these rows that stands for a secret: no error may hold one. */
export const SECRETS = [
  'c0de',
  'b0b0',
  '5ea1ed',
  'cha11enge',
  'pa55',
  '5e551d',
  'efe2',
  'sea1ed',
  'a1ice-there',
] as const;

const NONCE = "decode(repeat('b0', 16), 'hex')";

export async function putRows(db: Drizzle): Promise<void> {
  await keepLedgerPartitions(db, databaseClock);
  await unheld(db, async (own) => {
    for (const statement of rows()) await own.execute(sql.raw(statement));
  });
}

function* rows(): Generator<string> {
  for (const [name, clientId] of Object.entries(CLIENT)) {
    yield `insert into clients (client_id, client_name, application_type, token_endpoint_auth_method, secret_macs, redirect_uris,
      grant_types, policy, epoch, deleted_at) values ('${clientId}', 'c', 'web', 'none', '[]', '{}', '{}', 'default', 3,
      ${name === 'deleted' ? 'now()' : 'null'})`;
  }
  for (const [name, userId] of Object.entries(USER)) {
    const isDeleted = name === 'deleted';
    yield `insert into users (id, username, username_key, password_hash, claims, epoch, disabled_at, deleted_at) values ('${userId}',
      '${isDeleted ? '' : name}', '${name}', '${isDeleted ? '' : 'pa55'}', '{}', 3,
      ${isDeleted || name === 'disabled' ? 'now()' : 'null'}, ${isDeleted ? 'now()' : 'null'})`;
  }
  yield 'update server set epoch = 3';

  for (const [name, interactionId] of Object.entries(INTERACTION)) {
    const [state, ends] = name === 'ended' ? ['awaitingSignIn', '- 2'] : [name, '+ 1'];
    yield `insert into interactions (id, state, browser_hash, client_id, client_epoch, redirect_uri, code_challenge, scope, resources,
      user_id, created_at, ends_at) values ('${interactionId}', '${state}', '\\xb0b0', 'active', 3, 'https://c', 'cha11enge', '{read}',
      '{r}', ${state === 'awaitingSignIn' ? 'null' : `'${USER.alice}'`}, now(), now() ${ends} * interval '1 hour')`;
  }

  const grant = (
    grantId: string,
    {
      generation = null,
      revoked = false,
      endsIn = 60,
    }: { generation?: number | null; revoked?: boolean; endsIn?: number },
  ) => {
    const ends = `now() + interval '${endsIn} minutes'`;
    const head = generation === null ? 'null, null, null, null' : `${generation}, ${NONCE}, now(), ${ends}`;
    return `insert into grants (id, client_id, user_id, client_epoch, user_epoch, server_epoch, scope, resources,
      policy, code_hash, code_challenge, redirect_uri, identity, code_ends_at, created_at, state, revoked_at, revoked_reason,
      refresh_generation, refresh_nonce, last_used_at, chain_ends_at)
      values ('${grantId}', 'active', '${USER.alice}', 3, 3, 3, '{read}', '{r}', 'default', '\\xc0de', 'cha11enge',
      'https://c', '{"nonce": null}', ${ends}, date_trunc('milliseconds', now()),
      ${revoked ? "'revoked', now(), 'refresh_token_reused'" : "'active', null, null"}, ${head})`;
  };
  yield grant(GRANT.waiting, {});
  yield grant(GRANT.begun, { generation: 0 });
  yield grant(GRANT.rotated, { generation: 5 });
  yield grant(GRANT.revoked, { revoked: true });
  yield grant(GRANT.revokedChain, { revoked: true, generation: 5 });
  yield grant(GRANT.endedCode, { endsIn: -120 });
  yield grant(GRANT.endedChain, { generation: 5, endsIn: -120 });
  yield grant(GRANT.justEnded, { generation: 5, endsIn: -30 });
  yield grant(GRANT.endedRevoked, { revoked: true, generation: 5, endsIn: -120 });
  yield grant(GRANT.forgotten, { revoked: true, generation: 5, endsIn: -120 });
  // An entry in the partition of this month for each grant but the one without, and an entry in the default partition.
  yield `insert into transitions (shard_key, at, machine, grant_id, event, from_state, to_state) select id, now(), 'interaction', id, 'consented',
    'awaitingConsent', 'approved' from grants where id <> '${GRANT.forgotten}'`;
  yield `insert into transitions (shard_key, at, machine, event, from_state, to_state) values (gen_random_uuid(), '2999-01-01', 'm', 'e', 'f', 't')`;

  for (const [state, sid] of Object.entries(SESSION)) {
    yield `insert into sessions (id_hash, sid, user_id, user_epoch, server_epoch, signed_in_at, last_used_at, ends_at, user_agent,
      state, ended_reason) values ('\\x5e551d${sid.slice(-2)}', '${sid}', '${USER.alice}', 3, 3, now(), now(), now() + interval '1 hour',
      'browser', '${state}', ${state === 'ended' ? "'signed_out'" : 'null'})`;
  }

  yield `insert into consents (id, user_id, client_id, user_epoch, client_epoch, scope, resources, granted_at) values
    ('${CONSENT.given}', '${USER.alice}', 'active', 3, 3, '{read}', '{r}', now())`;

  for (const [name, linkId] of Object.entries(LINK)) {
    const state = name === 'forNobody' ? 'active' : name;
    const [purpose, owner] =
      name === 'forNobody' ? ['sign_up', 'null, null'] : ['reset_password', `'${USER.alice}', 3`];
    yield `insert into email_challenges (id, purpose, state, superseded_reason, secret_hash, person, user_id, user_epoch, address,
      sent_by, goes_on_path, goes_on_browser_hash, created_at, ends_at) values ('${linkId}', '${purpose}', '${state}',
      ${state === 'superseded' ? "'newer_link_sent'" : 'null'}, '\\x11c0de${linkId.slice(-2)}', '${name}', ${owner},
      'alice@example.com', 'command_line', '/interactions/1', '\\xb0b0', now(), now() + interval '1 hour')`;
  }

  for (const [state, rowId] of Object.entries(APP)) {
    const isRemoved = state === 'removed';
    yield `insert into second_factors (id, user_id, state, sealed_secret, last_step, created_at, confirmed_at, removed_at) values
      ('${rowId}', '${USER.alice}', '${state}', ${isRemoved ? 'null' : "'sea1ed'"},
      ${state === 'unconfirmed' ? 'null, now(), null' : '5, now(), now()'}, ${isRemoved ? 'now()' : 'null'})`;
  }
  for (const [state, rowId] of Object.entries(CODE)) {
    yield `insert into recovery_codes (id, user_id, state, code_hash, created_at, ended_at) values ('${rowId}', '${USER.alice}',
      '${state}', '\\xc0de${rowId.slice(-2)}', now(), ${state === 'active' ? 'null' : 'now()'})`;
  }
  for (const [state, rowId] of Object.entries(PASSKEY)) {
    const left = state === 'removed' ? 'null, now()' : "'\\xaced', null";
    yield `insert into passkeys (id, user_id, state, name, credential_id, counter, backup_eligible, transports, created_at,
      last_used_at, public_key, removed_at) values ('${rowId}', '${USER.alice}', '${state}', 'key', '\\xcd${rowId.slice(-2)}', 5, true,
      '{usb}', now(), now(), ${left})`;
  }

  for (const [state, rowId] of Object.entries(TRUSTED)) {
    const left = state === 'ended' ? 'null, now()' : "'\\xc0de95', null";
    yield `insert into trusted_browsers (id, user_id, state, user_epoch, server_epoch, factor_id, user_agent, created_at, ends_at,
      last_used_at, secret_hash, ended_at) values ('${rowId}', '${USER.alice}', '${state}', 3, 3, '${PASSKEY.active}', 'browser', now(),
      now() + interval '1 hour', now(), ${left})`;
  }

  for (const [name, rowId] of Object.entries(EXTERNAL)) {
    const [state, ends] = name === 'ended' ? ['awaiting', '- 2'] : [name, '+ 1'];
    const isAnswered = state === 'answered' || state === 'used';
    yield `insert into external_sign_ins (id, reference_hash, kind, purpose, provider, browser_hash, interaction_id, sealed_interaction,
      wishes, sealed_secrets, state, user_id, user_epoch, amr, authenticated_at, refusal, began_at, ends_at) values ('${rowId}',
      '\\xefe2${rowId.slice(-2)}', 'delegated', 'signIn', 'delegated', '\\xb0b0', '${INTERACTION.awaitingConsent}', 'sea1ed', '{}',
      'sea1ed', '${state}', ${isAnswered ? `'${USER.alice}', 0, '{pwd}', now()` : 'null, null, null, null'},
      ${state === 'denied' ? "'access_denied'" : 'null'}, now(), now() ${ends} * interval '1 hour')`;
  }
  for (const [state, rowId] of Object.entries(MAILED_CODE)) {
    const wasSent = state !== 'requested';
    yield `insert into sign_in_codes (id, code_hash, sealed_account, browser_hash, place, state, wrong_codes, user_id, user_epoch, address,
      created_at, ends_at) values ('${rowId}', '\\xc0de${rowId.slice(-2)}', 'sea1ed', '\\xb0b0', '${state}', '${state}',
      ${state === 'spent' ? 5 : 0}, ${wasSent ? `'${USER.alice}', 0, 'alice@example.com'` : 'null, null, null'}, now(),
      now() + interval '10 minutes')`;
  }
  for (const [name, clientId] of Object.entries(REGISTRATION)) {
    const state = name === 'old' ? 'unused' : name;
    yield `insert into clients (client_id, client_name, application_type, token_endpoint_auth_method, secret_macs, redirect_uris, grant_types,
      policy, registered_by, mac_version) values ('${clientId}', 'an app', 'web', 'none', '[]', '{https://app.example/}', '{authorization_code}',
      'default', 'self', 1)`;
    yield `insert into client_registrations (client_id, state, token_hash, created_at, unused_until) values ('${clientId}', 'unused', '\\x0e',
      now(), now() ${name === 'old' ? '-' : '+'} interval '2 days')`;
    if (state !== 'unused') yield `update client_registrations set state = '${state}' where client_id = '${clientId}'`;
  }
  for (const [name, clientId] of Object.entries(DOCUMENT)) {
    const state = name === 'old' ? 'refused' : name;
    yield `insert into clients (client_id, client_name, application_type, token_endpoint_auth_method, secret_macs, redirect_uris, grant_types,
      policy, registered_by, mac_version) values ('${clientId}', 'an app', 'web', 'none', '[]', '{https://app.example/}', '{authorization_code}',
      'default', 'self', 1)`;
    yield `insert into client_documents (client_id, state, fetched_at, fresh_until) values ('${clientId}', 'known',
      now() ${name === 'old' ? "- interval '2 days'" : ''}, now())`;
    if (state !== 'known')
      yield `update client_documents set state = '${state}', failed_at = fetched_at, problem = 'a rule' where client_id = '${clientId}'`;
  }
  for (const [name, rowId] of Object.entries(PUSHED)) {
    const isUsed = name === 'used';
    yield `insert into pushed_requests (id, client_id, handle_hash, sealed, state, created_at, ends_at) values ('${rowId}', 'active',
      '\\xa0${rowId.slice(-2)}', '${isUsed ? '' : 'sea1ed'}', '${isUsed ? 'used' : 'pushed'}', now(),
      now() ${name === 'ended' ? "- interval '2 hours'" : "+ interval '1 minute'"})`;
  }
  for (const [state, rowId] of Object.entries(SET_UP)) {
    yield `insert into operator_set_ups (id, state, secret_hash, username, user_id, server_epoch, created_at, ends_at, ended_reason) values
      ('${rowId}', '${state}', '\\x0e${rowId.slice(-2)}', 'alice', ${state === 'used' ? `'${USER.alice}'` : 'null'}, 0, now(),
      now() + interval '1 day', ${state === 'ended' ? "'replaced'" : 'null'})`;
  }
  yield `insert into configured_secrets (name, version, sealed_value, changed_at) values
    ('${SECRET.set}', 3, 'sealed', now()), ('${SECRET.removed}', 2, null, now())`;
  yield `insert into used_jtis (hash, used_at, ends_at) values
    ('${USED_JTI.live}', now(), now() + interval '1 minute'),
    ('${USED_JTI.expired}', now() - interval '62 minutes', now() - interval '61 minutes')`;
  for (const [state, rowId] of Object.entries(IDENTITY)) {
    yield `insert into linked_identities (id, user_id, issuer, subject, provider, linked_at, state, removed_at, removed_reason) values
      ('${rowId}', '${USER.alice}', 'https://idp', 'a1ice-there-${state}', 'idp', now(), '${state}',
      ${state === 'removed' ? "now(), 'removed_by_user'" : 'null, null'})`;
  }

  for (const [state, rowId] of Object.entries(DELIVERY)) {
    yield `insert into webhook_deliveries (id, receiver, event_id, event_type, user_id, data, occurred_at, state, attempts,
      next_attempt_at, gives_up_at, created_at, ended_at, abandoned_reason, last_outcome) values ('${rowId}', 'crm', '${rowId}',
      'user.disabled', '${USER.alice}', '{}', now(), '${state}', 2, ${state === 'pending' ? 'now()' : 'null'}, now(), now(),
      ${state === 'pending' ? 'null' : 'now()'}, ${state === 'abandoned' ? "'too_old'" : 'null'}, 'failed')`;
  }

  for (const [state, rowId] of Object.entries(MAIL)) {
    yield `insert into mails (id, purpose, domain_hash, user_id, sealed_contents, state, attempts, next_attempt_at, gives_up_at,
      created_at, ended_at, drop_reason) values ('${rowId}', 'notice', '\\xd0', '${USER.alice}',
      ${state === 'pending' ? "'sea1ed', 'pending', 2, now()" : `null, '${state}', 2, null`}, now() + interval '1 hour', now(),
      ${state === 'pending' ? 'null' : 'now()'}, ${state === 'dropped' ? "'too_old'" : 'null'})`;
  }

  for (const [state, kid] of Object.entries(KEY)) {
    const began = state === 'published' ? 'null' : 'now()';
    const stopped = state === 'retiring' || state === 'retired' ? 'now()' : 'null';
    const retired = state === 'retired' ? "now(), 'tokens_expired'" : 'null, null';
    const secret = state === 'published' || state === 'signing' ? "'5ea1ed'" : 'null';
    yield `insert into signing_keys (kid, alg, public_jwk, state, may_sign_at, private_jwe, began_signing_at, stopped_signing_at,
      retired_at, retired_reason) values ('${kid}', 'ES${kid}', '{"kty": "EC"}', '${state}', now(), ${secret}, ${began}, ${stopped},
      ${retired})`;
  }
}
