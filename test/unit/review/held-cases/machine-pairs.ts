/**
 * Every pair of states of every machine with a row of its own. It is allowed where an arm leads from one to the other, and with the reasons
 * that those arms write. Other conditions of the tables on a row in the new state are met too, so that only the triggers can refuse.
 */
import type { Machine } from '../../../../src/catalogue/read.ts';
import {
  client,
  clientDocument,
  clientRegistration,
  emailChallenge,
  externalSignIn,
  grant,
  interaction,
  linkedIdentity,
  mail,
  operatorSetUp,
  passkey,
  pushedRequest,
  recoveryCode,
  type Subject,
  secondFactor,
  session,
  signInCode,
  signingKey,
  trustedBrowser,
  user,
  webhookDelivery,
} from '../../machines/catalogue.ts';
import {
  APP,
  CLIENT,
  CODE,
  DELIVERY,
  DOCUMENT,
  EXTERNAL,
  GRANT,
  IDENTITY,
  INTERACTION,
  KEY,
  LINK,
  MAIL,
  MAILED_CODE,
  PASSKEY,
  PUSHED,
  REGISTRATION,
  SESSION,
  SET_UP,
  TRUSTED,
  USER,
} from '../held-rows.ts';
import {
  allowed,
  type HeldCase,
  refused,
  updateGrant,
  updateInteraction,
  updateKey,
  updateLink,
  updateOf,
  updateSession,
} from './case.ts';

const pairs = ({ machine }: Subject): [from: string, to: string][] => {
  const states = machine.states
    .map(({ name }) => name)
    .filter((state) => !NEVER_STORED.includes(state) && !(machine.name === 'trustedBrowser' && state === 'requested'));
  return states.flatMap((from) => states.map((to): [string, string] => [from, to]));
};

/** A key in the memory of one node has no row, nor has what was never registered, or never sent, nor has trust that was only requested. */
const NEVER_STORED = [
  'unpublished',
  'unregistered',
  'unlinked',
  'unsent',
  'unrequested',
  'unissued',
  'unpushed',
  'unseen',
];

/** The reasons that the arms from one state to the other write with this effect; null: no arm. */
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
  'second_factor_missing',
  'signed_out',
  'ended_by_user',
  'ended_by_administrator',
  'signed_in_again',
  'newer_link_sent',
  'another_link_used',
  'withdrawn',
  'change_undone',
  'removed_by_user',
  'removed_by_administrator',
  'user_deleted',
  'attempts_used_up',
  'too_old',
  'receiver_gone',
  'receiver_removed',
  'refused',
  'queue_full',
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

const linkPairs = pairs(emailChallenge).flatMap(([from, to]) => {
  const row = LINK[from as keyof typeof LINK];
  const reasonOf = (state: string) => (state === 'superseded' ? "'newer_link_sent'" : 'null');
  if (from === to)
    return allowed(`link stays ${from}`, updateLink(row, `state = '${to}', superseded_reason = ${reasonOf(to)}`));
  const written = reasonsBetween(emailChallenge.machine, from, to, 'supersedeLink');
  return (to === 'superseded' ? REASONS : [null]).map((reason) => {
    const what = `link ${from} → ${to} (${reason})`;
    const set = `state = '${to}', superseded_reason = ${reason === null ? 'null' : `'${reason}'`}`;
    const statement = updateLink(row, set);
    if (written === null) return refused('email_challenges_moves_with_its_machine', what, statement);
    return reason === null || written.includes(reason)
      ? allowed(what, statement)
      : refused('email_challenges_superseded_with_a_reason', what, statement);
  });
});

const interactionPairs = pairs(interaction).map(([from, to]) => {
  const what = `interaction ${from} → ${to}`;
  const row = INTERACTION[from as keyof typeof INTERACTION];
  if (from === to) return allowed(what, updateInteraction(row, `state = '${to}'`));
  // A known end-user stays, so that only the states are under test.
  const user = from === 'awaitingSignIn' ? `'${USER.alice}'` : 'user_id';
  const statement = updateInteraction(row, `state = '${to}', user_id = ${user}`);
  const exists = reasonsBetween(interaction.machine, from, to, '') !== null;
  return exists ? allowed(what, statement) : refused('interactions_moves_with_its_machine', what, statement);
});

/** The constraints of the table on a key in this state. */
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
    // The cookie is another once a factor was added. An ended session keeps the old cookie, so that only the states are under test.
    const cookie = from === 'awaitingSecondFactor' && to === 'active' ? "'\\x5e551d99'" : 'id_hash';
    const statement = updateSession(row, `state = '${to}', ended_reason = ${why}, id_hash = ${cookie}`);
    if (written === null) return refused('sessions_moves_with_its_machine', what, statement);
    return reason === null || written.includes(reason)
      ? allowed(what, statement)
      : refused('sessions_ends_once_with_a_reason', what, statement);
  });
});

/** The constraints of the tables on a factor in this state. */
const APP_IN: Readonly<Record<string, string>> = {
  unconfirmed: "sealed_secret = coalesce(sealed_secret, 'sea1ed'), removed_at = null",
  active: "sealed_secret = coalesce(sealed_secret, 'sea1ed'), removed_at = null, last_step = coalesce(last_step, 5)",
  removed: 'sealed_secret = null, removed_at = coalesce(removed_at, now())',
};
const CODE_IN: Readonly<Record<string, string>> = {
  active: 'ended_at = null',
  used: 'ended_at = coalesce(ended_at, now())',
  replaced: 'ended_at = coalesce(ended_at, now())',
};
const PASSKEY_IN: Readonly<Record<string, string>> = {
  active: "public_key = coalesce(public_key, '\\xaced'), removed_at = null",
  removed: 'public_key = null, removed_at = coalesce(removed_at, now())',
};

const TRUSTED_IN: Readonly<Record<string, string>> = {
  active: "secret_hash = coalesce(secret_hash, '\\xc0de'), ended_at = null",
  ended: 'secret_hash = null, ended_at = coalesce(ended_at, now())',
};

const factorPairs = (
  subject: Subject,
  table: string,
  rows: Readonly<Record<string, string>>,
  is: Readonly<Record<string, string>>,
) =>
  pairs(subject).map(([from, to]) => {
    const what = `${subject.name} ${from} → ${to}`;
    const statement = updateOf(table, 'id')(rows[from] ?? '', `state = '${to}', ${is[to]}`);
    const exists = from === to || reasonsBetween(subject.machine, from, to, '') !== null;
    return exists ? allowed(what, statement) : refused(`${table}_moves_with_its_machine`, what, statement);
  });

const externalPairs = pairs(externalSignIn).map(([from, to]) => {
  const what = `external sign-in ${from} → ${to}`;
  const update = updateOf('external_sign_ins', 'id');
  const row = EXTERNAL[from as keyof typeof EXTERNAL];
  if (from === to) return allowed(what, update(row, `state = '${to}'`));
  const who = `user_id = coalesce(user_id, '${USER.alice}'), amr = coalesce(amr, '{pwd}'), authenticated_at = coalesce(authenticated_at, now())`;
  const refusal = to === 'denied' ? "'access_denied'" : 'null';
  const statement = update(row, `state = '${to}', refusal = ${refusal}, ${who}`);
  const exists = reasonsBetween(externalSignIn.machine, from, to, '') !== null;
  return exists ? allowed(what, statement) : refused('external_sign_ins_moves_with_its_machine', what, statement);
});

/** A code is that of an end-user exactly once it was sent, which the tables demand too: so the rule about that refuses some moves first. */
const SENT_IN: Readonly<Record<string, string>> = {
  requested: 'user_id = null, user_epoch = null, address = null',
  active: `user_id = coalesce(user_id, '${USER.alice}'), user_epoch = coalesce(user_epoch, 0), address = coalesce(address, 'a@example.com')`,
};
const codePairs = pairs(signInCode).map(([from, to]) => {
  const what = `code in a mail ${from} → ${to}`;
  const row = MAILED_CODE[from as keyof typeof MAILED_CODE];
  const isSent = to === 'active' || to === 'used';
  const owner = to === 'requested' ? SENT_IN['requested'] : isSent ? SENT_IN['active'] : 'address = address';
  const statement = updateOf('sign_in_codes', 'id')(row, `state = '${to}', ${owner}`);
  if (from === to || reasonsBetween(signInCode.machine, from, to, '') !== null) return allowed(what, statement);
  const changesOwner = (from === 'requested' && isSent) || to === 'requested';
  return refused(changesOwner ? 'sign_in_codes_is_sent_once' : 'sign_in_codes_moves_with_its_machine', what, statement);
});

/** Of the set-up of an operator, one row is in each state, so the row that is there makes room. */
const setUpPairs = pairs(operatorSetUp).map(([from, to]) => {
  const what = `set-up of an operator ${from} → ${to}`;
  const room =
    from === to || to === 'ended'
      ? []
      : [`delete from operator_set_ups where id = '${SET_UP[to as keyof typeof SET_UP]}' returning 1`];
  const owner =
    to === 'active'
      ? 'user_id = null'
      : to === 'used'
        ? `user_id = coalesce(user_id, '${USER.alice}')`
        : 'user_id = user_id';
  const reason = to === 'ended' ? "coalesce(ended_reason, 'replaced')" : 'null';
  const statement = updateOf('operator_set_ups', 'id')(
    SET_UP[from as keyof typeof SET_UP],
    `state = '${to}', ended_reason = ${reason}, ${owner}`,
  );
  if (from === to || reasonsBetween(operatorSetUp.machine, from, to, '') !== null)
    return allowed(what, ...room, statement);
  const rule =
    from === 'used' || to === 'used'
      ? 'operator_set_ups_makes_one_operator'
      : 'operator_set_ups_moves_with_its_machine';
  return refused(rule, what, ...room, statement);
});

const documentPairs = pairs(clientDocument).map(([from, to]) => {
  const what = `document of a client ${from} → ${to}`;
  const failure = to === 'known' ? 'failed_at = null, problem = null' : "failed_at = now(), problem = 'a rule'";
  const statement = updateOf('client_documents', 'client_id')(
    DOCUMENT[from as keyof typeof DOCUMENT],
    `state = '${to}', ${failure}`,
  );
  return from === to || reasonsBetween(clientDocument.machine, from, to, '') !== null
    ? allowed(what, statement)
    : refused('client_documents_moves_with_its_machine', what, statement);
});

const registrationPairs = pairs(clientRegistration).map(([from, to]) => {
  const what = `registration of a client ${from} → ${to}`;
  const statement = updateOf('client_registrations', 'client_id')(
    REGISTRATION[from as keyof typeof REGISTRATION],
    `state = '${to}'`,
  );
  return from === to || reasonsBetween(clientRegistration.machine, from, to, '') !== null
    ? allowed(what, statement)
    : refused('client_registrations_moves_with_its_machine', what, statement);
});

const pushedPairs = pairs(pushedRequest).map(([from, to]) => {
  const what = `pushed request ${from} → ${to}`;
  const sealed = to === 'used' ? "''" : "coalesce(nullif(sealed, ''), 'sea1ed')";
  const statement = updateOf('pushed_requests', 'id')(
    PUSHED[from as keyof typeof PUSHED],
    `state = '${to}', sealed = ${sealed}`,
  );
  return from === to || reasonsBetween(pushedRequest.machine, from, to, '') !== null
    ? allowed(what, statement)
    : refused('pushed_requests_moves_with_its_machine', what, statement);
});

const identityPairs = pairs(linkedIdentity).flatMap(([from, to]) => {
  const update = updateOf('linked_identities', 'id');
  const row = IDENTITY[from as keyof typeof IDENTITY];
  if (from === to) return allowed(`identity stays ${from}`, update(row, `state = '${to}'`));
  const written = reasonsBetween(linkedIdentity.machine, from, to, 'removeIdentity');
  return (to === 'removed' ? REASONS : [null]).map((reason) => {
    const what = `identity ${from} → ${to} (${reason})`;
    const end = reason === null ? 'null, removed_reason = null' : `now(), removed_reason = '${reason}'`;
    const statement = update(row, `state = '${to}', removed_at = ${end}`);
    if (written === null) return refused('linked_identities_moves_with_its_machine', what, statement);
    return reason !== null && written.includes(reason)
      ? allowed(what, statement)
      : refused('linked_identities_ends_once_with_a_reason', what, statement);
  });
});

const DELIVERY_IN: Readonly<Record<string, string>> = {
  pending: 'next_attempt_at = now(), ended_at = null, abandoned_reason = null',
  delivered: 'next_attempt_at = null, ended_at = now(), abandoned_reason = null',
};

const deliveryPairs = pairs(webhookDelivery).flatMap(([from, to]) => {
  const update = updateOf('webhook_deliveries', 'id');
  const row = DELIVERY[from as keyof typeof DELIVERY];
  if (from === to) return allowed(`delivery stays ${from}`, update(row, `state = '${to}'`));
  const written = reasonsBetween(webhookDelivery.machine, from, to, 'abandonDelivery');
  return (to === 'abandoned' ? REASONS : [null]).map((reason) => {
    const what = `delivery ${from} → ${to} (${reason})`;
    const end =
      reason === null
        ? (DELIVERY_IN[to] ?? '')
        : `next_attempt_at = null, ended_at = now(), abandoned_reason = '${reason}'`;
    const statement = update(row, `state = '${to}', ${end}`);
    if (written === null) return refused('webhook_deliveries_moves_with_its_machine', what, statement);
    return reason === null || written.includes(reason)
      ? allowed(what, statement)
      : refused('webhook_deliveries_ends_once_with_a_reason', what, statement);
  });
});

const mailPairs = pairs(mail).flatMap(([from, to]) => {
  const update = updateOf('mails', 'id');
  const row = MAIL[from as keyof typeof MAIL];
  if (from === to) return allowed(`mail stays ${from}`, update(row, `state = '${to}'`));
  const written = reasonsBetween(mail.machine, from, to, 'dropMail');
  return (to === 'dropped' ? REASONS : [null]).map((reason) => {
    const what = `mail ${from} → ${to} (${reason})`;
    const ended = `next_attempt_at = null, sealed_contents = null, ended_at = now()`;
    const end =
      to === 'pending'
        ? "next_attempt_at = now(), sealed_contents = 'sea1ed', ended_at = null, drop_reason = null"
        : `${ended}, drop_reason = ${reason === null ? 'null' : `'${reason}'`}`;
    const statement = update(row, `state = '${to}', ${end}`);
    if (to === 'pending') return refused('mails_contents_are_only_erased', what, statement);
    if (written === null) return refused('mails_moves_with_its_machine', what, statement);
    return reason === null || written.includes(reason)
      ? allowed(what, statement)
      : refused('mails_ends_once_with_a_reason', what, statement);
  });
});

/** The columns of a row of each state, and a row in that state; the epoch rises with every move. */
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
  ...linkPairs,
  ...factorPairs(secondFactor, 'second_factors', APP, APP_IN),
  ...factorPairs(recoveryCode, 'recovery_codes', CODE, CODE_IN),
  ...factorPairs(passkey, 'passkeys', PASSKEY, PASSKEY_IN),
  ...factorPairs(trustedBrowser, 'trusted_browsers', TRUSTED, TRUSTED_IN),
  ...externalPairs,
  ...codePairs,
  ...setUpPairs,
  ...documentPairs,
  ...registrationPairs,
  ...pushedPairs,
  ...identityPairs,
  ...deliveryPairs,
  ...mailPairs,
  ...derivedPairs(client, CLIENT_IN, 'clients', 'client_id'),
  ...derivedPairs(user, USER_IN, 'users', 'id'),
];
