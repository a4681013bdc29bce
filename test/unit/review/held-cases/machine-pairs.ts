/**
 * Every pair of states of every machine with a row of its own: allowed where an arm leads from one to the other, and with the reasons
 * that those arms write. What else the tables ask of a row in the new state is set along, so that only the triggers can refuse.
 */
import type { Machine } from '../../../../src/review/machine/read.ts';
import { client, grant, interaction, type Subject, session, signingKey, user } from '../../machines/catalogue.ts';
import { CLIENT, GRANT, INTERACTION, KEY, SESSION, USER } from '../held-rows.ts';
import {
  allowed,
  type HeldCase,
  refused,
  updateGrant,
  updateInteraction,
  updateKey,
  updateOf,
  updateSession,
} from './case.ts';

const pairs = ({ machine }: Subject): [from: string, to: string][] => {
  const states = machine.states.map(({ name }) => name).filter((state) => !NEVER_STORED.includes(state));
  return states.flatMap((from) => states.map((to): [string, string] => [from, to]));
};

/** A key in the memory of one node has no row, nor has what was never registered. */
const NEVER_STORED = ['unpublished', 'unregistered'];

/** The reasons that the arms from one state to the other write with this effect; null: there is no such arm. */
function reasonsBetween({ states }: Machine, from: string, to: string, effect: string) {
  const arms = states.flatMap((state) => state.arms).filter((arm) => arm.state === from && arm.to === to);
  const reasons = arms.flatMap((arm) => arm.effects.filter(({ name }) => name === effect));
  return arms.length === 0 ? null : reasons.map(({ params }) => String(params['reason']));
}

/** Those of all machines, so that each is tried where it does not belong; and a reason of no machine. */
const REASONS = [
  'authorization_code_reused',
  'refresh_token_reused',
  'chain_behind_token',
  'revocation_requested',
  'tokens_expired',
  'session_idle',
  'session_too_old',
  'signed_out',
  'ended_by_user',
  'signed_in_again',
  'because',
];

const grantPairs = pairs(grant).flatMap(([from, to]) => {
  const rows: Readonly<Record<string, readonly string[]>> = {
    active: [GRANT.waiting, GRANT.begun, GRANT.rotated],
    revoked: [GRANT.revoked, GRANT.revokedChain],
  };
  return (rows[from] ?? []).flatMap((row) => {
    if (from === to) return allowed(`grant ${row} stays ${from}`, updateGrant(row, `state = '${to}'`));
    const written = reasonsBetween(grant.machine, from, to, 'writeRevoked');
    return (to === 'revoked' ? REASONS : [null]).map((reason) => {
      const what = `grant ${row} ${from} → ${to} (${reason})`;
      const end =
        reason === null
          ? 'revoked_at = null, revoked_reason = null'
          : `revoked_at = now(), revoked_reason = '${reason}'`;
      const statement = updateGrant(row, `state = '${to}', ${end}`);
      if (written === null) return refused('grants_moves_with_its_machine', what, statement);
      return reason !== null && written.includes(reason)
        ? allowed(what, statement)
        : refused('grants_ends_once_with_a_reason', what, statement);
    });
  });
});

const interactionPairs = pairs(interaction).map(([from, to]) => {
  const what = `interaction ${from} → ${to}`;
  const row = INTERACTION[from as keyof typeof INTERACTION];
  if (from === to) return allowed(what, updateInteraction(row, `state = '${to}'`));
  // An end-user who is known stays, so that nothing but the states is tried.
  const user = from === 'awaitingSignIn' ? `'${USER.alice}'` : 'subject_id';
  const statement = updateInteraction(row, `state = '${to}', subject_id = ${user}`);
  const exists = reasonsBetween(interaction.machine, from, to, '') !== null;
  return exists ? allowed(what, statement) : refused('interactions_moves_with_its_machine', what, statement);
});

/** What the constraints of the table ask of a key in this state. */
const KEY_IN: Readonly<Record<string, string>> = {
  published: "private_jwe = coalesce(private_jwe, '5ea1ed'), retired_reason = null",
  signing:
    "private_jwe = coalesce(private_jwe, '5ea1ed'), began_signing_at = coalesce(began_signing_at, now()), retired_reason = null",
  retiring: 'private_jwe = null, stopped_signing_at = coalesce(stopped_signing_at, now()), retired_reason = null',
  retired: 'private_jwe = null, retired_at = coalesce(retired_at, now())',
};

const keyPairs = pairs(signingKey).flatMap(([from, to]) => {
  const hasPrivateHalf = (state: string) => state === 'published' || state === 'signing';
  const row = KEY[from as keyof typeof KEY];
  if (from === to) return allowed(`key stays ${from}`, updateKey(row, `state = '${to}'`));
  const written = reasonsBetween(signingKey.machine, from, to, 'retire');
  return (to === 'retired' ? REASONS : [null]).map((reason) => {
    const what = `key ${from} → ${to} (${reason})`;
    const why = reason === null ? '' : `, retired_reason = '${reason}'`;
    const statement = updateKey(row, `state = '${to}', ${KEY_IN[to]}${why}`);
    if (!hasPrivateHalf(from) && hasPrivateHalf(to)) {
      return refused('signing_keys_erased_stays_erased', what, statement);
    }
    if (written === null) return refused('signing_keys_moves_with_its_machine', what, statement);
    return reason === null || written.includes(reason)
      ? allowed(what, statement)
      : refused('signing_keys_retires_with_a_reason', what, statement);
  });
});

const sessionPairs = pairs(session).flatMap(([from, to]) => {
  const row = SESSION[from as keyof typeof SESSION];
  if (from === to) return allowed(`session stays ${from}`, updateSession(row, `state = '${to}'`));
  const written = reasonsBetween(session.machine, from, to, 'endSession');
  return (to === 'ended' ? REASONS : [null]).map((reason) => {
    const what = `session ${from} → ${to} (${reason})`;
    const why = reason === null ? 'null' : `'${reason}'`;
    const statement = updateSession(row, `state = '${to}', ended_reason = ${why}`);
    if (written === null) return refused('sessions_moves_with_its_machine', what, statement);
    return reason !== null && written.includes(reason)
      ? allowed(what, statement)
      : refused('sessions_ends_once_with_a_reason', what, statement);
  });
});

/** What a row of each state has, and a row in that state; the epoch rises with every move. */
type Derived = Readonly<Record<string, { readonly row: string; readonly is: string }>>;
const CLIENT_IN: Derived = {
  registered: { row: CLIENT.active, is: 'deleted_at = null' },
  deleted: { row: CLIENT.deleted, is: 'deleted_at = now()' },
};
const USER_IN: Derived = {
  enabled: { row: USER.alice, is: 'disabled_at = null, deleted_at = null' },
  disabled: { row: USER.disabled, is: 'disabled_at = now(), deleted_at = null' },
  deleted: {
    row: USER.deleted,
    is: "disabled_at = coalesce(disabled_at, now()), deleted_at = now(), username = '', password_hash = '', claims = '{}'",
  },
};

const derivedPairs = (subject: Subject, states: Derived, table: string, key: string) =>
  pairs(subject)
    .filter(([from, to]) => from !== to)
    .map(([from, to]) => {
      const what = `${subject.name} ${from} → ${to}`;
      const statement = updateOf(table, key)(states[from]?.row ?? '', `${states[to]?.is}, epoch = epoch + 1`);
      const exists = reasonsBetween(subject.machine, from, to, '') !== null;
      return exists ? allowed(what, statement) : refused(`${table}_moves_with_its_machine`, what, statement);
    });

export const machinePairCases: readonly HeldCase[] = [
  ...grantPairs,
  ...interactionPairs,
  ...keyPairs,
  ...sessionPairs,
  ...derivedPairs(client, CLIENT_IN, 'clients', 'client_id'),
  ...derivedPairs(user, USER_IN, 'users', 'id'),
];
