/**
 * What Postgres refuses, as data: one rule is one trigger. States and reasons come from the machines; which columns belong to a
 * state is defined here.
 */

import { type Machine, readMachine } from '../../catalogue/read.ts';
import { RUNNING } from '../../catalogue/running.ts';
import { clientTable } from '../../lifecycles/client/table.ts';
import { emailChallengeTable } from '../../lifecycles/email-challenge/table.ts';
import { externalSignInTable } from '../../lifecycles/external-sign-in/table.ts';
import { grantTable } from '../../lifecycles/grant/table.ts';
import { consentTable, interactionTable } from '../../lifecycles/interaction/table.ts';
import { linkedIdentityTable } from '../../lifecycles/linked-identity/table.ts';
import { mailTable } from '../../lifecycles/mail/table.ts';
import { passkeyTable } from '../../lifecycles/passkey/table.ts';
import { recoveryCodeTable } from '../../lifecycles/recovery-code/table.ts';
import { secondFactorTable } from '../../lifecycles/second-factor/table.ts';
import { sessionTable } from '../../lifecycles/session/table.ts';
import { signingKeyTable } from '../../lifecycles/signing-key/table.ts';
import { userTable } from '../../lifecycles/user/table.ts';
import { webhookDeliveryTable } from '../../lifecycles/webhook-delivery/table.ts';
import { MAX_ACCESS_TOKEN_SECONDS } from '../../storage/housekeeping.ts';
import { LEDGER_IS_NOT_EMPTIED } from '../../storage/ledger-partitions.ts';
import { macColumns } from '../../storage/mac-columns.ts';
import { beginOnce, columnsOf, type HeldTable } from './columns.ts';
import { endedStatesOf, movesOf, pairsOf, statesAfter, statesBy } from './moves.ts';

export type Rule = {
  readonly table: HeldTable;
  /** The name of the trigger, and the `constraint` of the error. */
  readonly name: string;
  /** An UPDATE that sets none of the listed columns does not run the trigger. */
  readonly on: { readonly update: readonly string[] } | 'insert' | 'delete' | 'update or delete' | 'truncate';
  /** SQL over OLD and NEW; refused when any of them is true. Empty: always refused. */
  readonly when: readonly string[];
  /** A precondition: where it is false, nothing is refused. */
  readonly only?: string;
  /** The message of the error. Contains no value of the row. */
  readonly says: string;
};

const NONCE_BYTES = 16;

/** The machines with their own table: codes and refresh tokens are stored in the row of their grant. */
const RULES = {
  grant: grantRules,
  interaction: interactionRules,
  signingKey: signingKeyRules,
  session: sessionRules,
  secondFactor: secondFactorRules,
  recoveryCode: recoveryCodeRules,
  passkey: passkeyRules,
  client: clientRules,
  user: userRules,
  emailChallenge: emailChallengeRules,
  externalSignIn: externalSignInRules,
  linkedIdentity: linkedIdentityRules,
  webhookDelivery: webhookDeliveryRules,
  mail: mailRules,
} as const;
type StoredMachine = keyof typeof RULES;
export type Machines = Readonly<Record<StoredMachine, Machine>>;

export const heldMachines = Object.fromEntries(
  Object.keys(RULES).map((name) => [name, readMachine(RUNNING[name as StoredMachine].machine.config)]),
) as Machines;

export const rulesOf = (machines: Machines): readonly Rule[] => [
  ...Object.entries(RULES).flatMap(([name, rules]) => rules(machines[name as StoredMachine])),
  ...epochRules,
  ...consentRules,
  ...ledgerRules,
  ...macColumns.map(macRule),
  ...beginOnce.map(({ table, name }) => beginsOnceRule(table, name('NEW'))),
];

/** An epoch that went back would revive grants. */
const FORWARD_ONLY = ['NEW.epoch < OLD.epoch'];
const RISES = 'an epoch only rises';

function grantRules(machine: Machine): readonly Rule[] {
  const moves = movesOf(machine);
  const endings = pairsOf(moves, 'writeRevoked');
  const rule = ruleOf('grants');
  return [
    rule(
      'begins_with_its_machine',
      'insert',
      'a grant begins in the first state of its machine, with no head and no end',
      [
        `NEW.state <> ${text(machine.initial)}`,
        'NEW.revoked_at IS NOT NULL',
        'NEW.refresh_generation IS NOT NULL',
        'NEW.last_used_at IS NOT NULL',
        'NEW.chain_ends_at IS NOT NULL',
      ],
    ),
    rule('keeps_what_was_approved', { update: columnsOf(grantTable, 'bound') }, 'what was approved does not change', [
      changed(columnsOf(grantTable, 'bound')),
    ]),
    rule('moves_with_its_machine', { update: ['state'] }, 'no arm of the grant machine leads there', [
      leavesThe(endings),
    ]),
    rule(
      'ends_once_with_a_reason',
      { update: ['revoked_at', 'revoked_reason'] },
      'a grant ends once, with an instant and a reason that its machine writes',
      [
        `NEW.state = OLD.state AND ${changed(['revoked_at', 'revoked_reason'])}`,
        ...endings.flatMap(({ from, to, reasons }) => [
          `OLD.state = ${text(from)} AND NEW.state = ${text(to)} AND NEW.revoked_at IS NULL`,
          `OLD.state = ${text(from)} AND NEW.state = ${text(to)} AND NOT coalesce(${oneOf('NEW.revoked_reason', reasons)}, false)`,
        ]),
      ],
    ),
    rule(
      'head_moves_by_one',
      { update: ['refresh_generation', 'refresh_nonce'] },
      'the head of a chain moves forward by one, with a fresh nonce, while its grant lives',
      [
        oneOf('OLD.state', endedStatesOf(machine)),
        'NEW.state <> OLD.state',
        'NEW.refresh_generation IS DISTINCT FROM coalesce(OLD.refresh_generation + 1, 0)',
        'NEW.refresh_nonce IS NOT DISTINCT FROM OLD.refresh_nonce',
        `octet_length(NEW.refresh_nonce) IS DISTINCT FROM ${NONCE_BYTES}`,
        'NEW.last_used_at IS NULL',
        'NEW.chain_ends_at IS NULL',
      ],
      changed(['refresh_generation', 'refresh_nonce']),
    ),
    rule(
      'times_move_with_the_head',
      { update: ['last_used_at', 'chain_ends_at'] },
      'the last use and the end of a chain change only when its head moves',
      [`NOT ${changed(['refresh_generation'])} AND ${changed(['last_used_at', 'chain_ends_at'])}`],
    ),
    rule('stays_until_its_end', 'delete', 'a grant stays until the life of its last access token is over', [
      `coalesce(OLD.chain_ends_at, OLD.code_ends_at) >= now() - interval '${MAX_ACCESS_TOKEN_SECONDS} seconds'`,
    ]),
    rule('is_not_emptied', 'truncate', 'grants end one by one', []),
  ];
}

function interactionRules(machine: Machine): readonly Rule[] {
  const moves = movesOf(machine);
  // Nodes of the version before store it in the first state, during an upgrade; without an end-user.
  const storedFirstAs = [machine.initial, ...statesAfter(machine.initial, moves)];
  const rule = ruleOf('interactions');
  return [
    rule(
      'begins_with_its_machine',
      'insert',
      'an interaction is stored with the step of an end-user that leads out of the first state of its machine',
      [`NOT ${oneOf('NEW.state', storedFirstAs)}`, `(NEW.state = ${text(machine.initial)}) <> (NEW.user_id IS NULL)`],
    ),
    rule(
      'keeps_what_was_asked',
      { update: columnsOf(interactionTable, 'bound') },
      'what the client asked for does not change',
      [changed(columnsOf(interactionTable, 'bound'))],
    ),
    rule('moves_with_its_machine', { update: ['state'] }, 'no arm of the interaction machine leads there', [
      leavesThe(pairsOf(moves, '')),
    ]),
    rule(
      'keeps_its_user',
      { update: ['state', 'user_id'] },
      'an answer keeps its end-user, and an approval has an end-user',
      [
        `${oneOf('OLD.state', endedStatesOf(machine))} AND ${changed(['user_id'])}`,
        `${oneOf('NEW.state', statesBy('issueCode', moves))} AND NEW.user_id IS NULL`,
      ],
    ),
    rule('stays_until_its_end', 'delete', 'an interaction stays until it has ended', ['OLD.ends_at >= now()']),
    rule('is_not_emptied', 'truncate', 'interactions end one by one', []),
  ];
}

function signingKeyRules(machine: Machine): readonly Rule[] {
  const moves = movesOf(machine);
  const pairs = pairsOf(moves, 'retire');
  // A key in the first state is only in the memory of a node; keys in the next states are stored.
  const storedFirstAs = statesAfter(machine.initial, moves);
  const rule = ruleOf('signing_keys');
  return [
    rule('begins_with_its_machine', 'insert', 'a key is stored as published, or signs at once', [
      `NOT ${oneOf('NEW.state', storedFirstAs)}`,
      'NEW.stopped_signing_at IS NOT NULL',
      'NEW.retired_at IS NOT NULL',
    ]),
    rule(
      'keeps_what_was_published',
      { update: columnsOf(signingKeyTable, 'bound') },
      'what was published of a key does not change',
      [changed(columnsOf(signingKeyTable, 'bound'))],
    ),
    rule('moves_with_its_machine', { update: ['state'] }, 'no arm of the signing-key machine leads there', [
      leavesThe(pairs),
    ]),
    rule(
      'retires_with_a_reason',
      { update: ['retired_at', 'retired_reason'] },
      'a key retires once, with a reason that its machine writes',
      [
        `NEW.state = OLD.state AND ${changed(['retired_at', 'retired_reason'])}`,
        ...pairs
          .filter(({ reasons }) => reasons.length > 0)
          .map(
            ({ from, to, reasons }) =>
              `OLD.state = ${text(from)} AND NEW.state = ${text(to)} AND NOT coalesce(${oneOf('NEW.retired_reason', reasons)}, false)`,
          ),
      ],
    ),
    rule(
      'instants_stay',
      { update: columnsOf(signingKeyTable, 'instant') },
      'what has happened to a key has happened',
      [
        ...columnsOf(signingKeyTable, 'instant').map(
          (instant) => `OLD.${instant} IS NOT NULL AND NEW.${instant} IS NULL`,
        ),
        `${oneOf('OLD.state', endedStatesOf(machine))} AND ${changed(columnsOf(signingKeyTable, 'instant'))}`,
      ],
    ),
    rule('erased_stays_erased', { update: ['private_jwe'] }, 'a private half that was erased does not come back', [
      'OLD.private_jwe IS NULL AND NEW.private_jwe IS NOT NULL',
    ]),
    rule('stays', 'delete', 'a key stays, so that a retired one never comes back', []),
    rule('is_not_emptied', 'truncate', 'keys retire one by one', []),
  ];
}

function sessionRules(machine: Machine): readonly Rule[] {
  const moves = movesOf(machine);
  const endings = pairsOf(moves, 'endSession').filter(({ reasons }) => reasons.length > 0);
  // A sign-in with all that is demanded is stored as active.
  const storedFirstAs = [machine.initial, ...statesBy('beginSession', moves)];
  const renewed = statesBy('addFactor', moves);
  const renewals = pairsOf(moves, 'addFactor').filter(({ to }) => renewed.includes(to));
  const rule = ruleOf('sessions');
  return [
    rule(
      'begins_with_its_machine',
      'insert',
      'a session begins in the first state of its machine or as active, with no end',
      [`NOT ${oneOf('NEW.state', storedFirstAs)}`],
    ),
    rule('keeps_what_signed_in', { update: columnsOf(sessionTable, 'bound') }, 'a session stays that of its sign-in', [
      changed(columnsOf(sessionTable, 'bound')),
    ]),
    rule('moves_with_its_machine', { update: ['state'] }, 'no arm of the session machine leads there', [
      leavesThe(pairsOf(moves, '')),
    ]),
    rule(
      'is_renewed_with_a_factor',
      { update: ['state', ...columnsOf(sessionTable, 'factor')] },
      'a further factor renews the cookie of a session that lives, and no method of the sign-in is lost',
      [
        `NOT ${oneOf('NEW.state', renewed)} AND ${changed(columnsOf(sessionTable, 'factor'))}`,
        `${oneOf('OLD.state', endedStatesOf(machine))} AND ${changed(columnsOf(sessionTable, 'factor'))}`,
        `NOT (NEW.amr @> OLD.amr)`,
        `NEW.id_hash = OLD.id_hash AND ${changed(['amr'])}`,
        ...renewals.map(
          ({ from, to }) => `OLD.state = ${text(from)} AND NEW.state = ${text(to)} AND NEW.id_hash = OLD.id_hash`,
        ),
      ],
    ),
    rule(
      'ends_once_with_a_reason',
      { update: ['ended_reason', 'ends_at'] },
      'a session ends once, with a reason that its machine writes, and never later than before',
      [
        ...renewals.map(
          ({ from, to }) =>
            `OLD.state = ${text(from)} AND NEW.state = ${text(to)} AND ${changed(['ended_reason', 'ends_at'])}`,
        ),
        `NEW.state = OLD.state AND ${changed(['ended_reason', 'ends_at'])}`,
        'NEW.ends_at > OLD.ends_at',
        ...endings.map(
          ({ from, to, reasons }) =>
            `OLD.state = ${text(from)} AND NEW.state = ${text(to)} AND NOT coalesce(${oneOf('NEW.ended_reason', reasons)}, false)`,
        ),
      ],
    ),
    rule(
      'is_used_while_active',
      { update: ['last_used_at'] },
      'a session is used forward in time, and while it lives',
      [
        'NEW.last_used_at < OLD.last_used_at',
        `${oneOf('OLD.state', endedStatesOf(machine))} AND ${changed(['last_used_at'])}`,
      ],
    ),
  ];
}

function secondFactorRules(machine: Machine): readonly Rule[] {
  const moves = movesOf(machine);
  const rule = ruleOf('second_factors');
  return [
    rule('begins_with_its_machine', 'insert', 'a second factor begins in the first state of its machine', [
      `NEW.state <> ${text(machine.initial)}`,
      'NEW.last_step IS NOT NULL',
    ]),
    rule(
      'keeps_its_owner',
      { update: columnsOf(secondFactorTable, 'bound') },
      'a second factor stays that of its end-user',
      [changed(columnsOf(secondFactorTable, 'bound'))],
    ),
    rule('moves_with_its_machine', { update: ['state'] }, 'no arm of the second-factor machine leads there', [
      leavesThe(pairsOf(moves, '')),
    ]),
    rule(
      'accepts_a_code_once',
      { update: ['last_step'] },
      'the time step of a second factor only rises, while the factor lives',
      [
        'OLD.last_step IS NOT NULL AND (NEW.last_step IS NULL OR NEW.last_step < OLD.last_step)',
        `${oneOf('OLD.state', endedStatesOf(machine))} AND ${changed(['last_step'])}`,
      ],
    ),
    rule('removed_stays_removed', { update: ['sealed_secret', 'removed_at'] }, 'what was removed does not come back', [
      'OLD.sealed_secret IS NULL AND NEW.sealed_secret IS NOT NULL',
      `${oneOf('OLD.state', endedStatesOf(machine))} AND ${changed(['removed_at'])}`,
    ]),
    rule('is_not_emptied', 'truncate', 'second factors are removed one by one', []),
  ];
}

function recoveryCodeRules(machine: Machine): readonly Rule[] {
  const rule = ruleOf('recovery_codes');
  return [
    rule('begins_with_its_machine', 'insert', 'a recovery code begins in the first state of its machine', [
      `NEW.state <> ${text(machine.initial)}`,
    ]),
    rule(
      'keeps_its_owner',
      { update: columnsOf(recoveryCodeTable, 'bound') },
      'a recovery code stays that of its end-user',
      [changed(columnsOf(recoveryCodeTable, 'bound'))],
    ),
    rule('moves_with_its_machine', { update: ['state'] }, 'no arm of the recovery-code machine leads there', [
      leavesThe(pairsOf(movesOf(machine), '')),
    ]),
    rule('is_not_emptied', 'truncate', 'recovery codes end one by one', []),
  ];
}

function passkeyRules(machine: Machine): readonly Rule[] {
  const moves = movesOf(machine);
  const rule = ruleOf('passkeys');
  return [
    // In the first state nothing is stored.
    rule('begins_with_its_machine', 'insert', 'a passkey is stored with its registration', [
      `NOT ${oneOf('NEW.state', statesAfter(machine.initial, moves))}`,
    ]),
    rule('keeps_its_owner', { update: columnsOf(passkeyTable, 'bound') }, 'a passkey stays that of its end-user', [
      changed(columnsOf(passkeyTable, 'bound')),
    ]),
    rule('moves_with_its_machine', { update: ['state'] }, 'no arm of the passkey machine leads there', [
      leavesThe(pairsOf(moves, '')),
    ]),
    rule('counter_rises', { update: ['counter'] }, 'the signature counter of a passkey only rises', [
      'NEW.counter < OLD.counter',
    ]),
    rule(
      'removed_stays_removed',
      { update: ['public_key', 'removed_at', 'name'] },
      'what was removed does not come back',
      [
        'OLD.public_key IS NULL AND NEW.public_key IS NOT NULL',
        `${oneOf('OLD.state', endedStatesOf(machine))} AND ${changed(['removed_at', 'name'])}`,
      ],
    ),
    rule('is_not_emptied', 'truncate', 'passkeys are removed one by one', []),
  ];
}

/** src/lifecycles/client/lifecycle.ts derives them. */
const STATES_OF_CLIENTS: Derived = {
  registered: (row) => `${row}.deleted_at IS NULL`,
  deleted: (row) => `${row}.deleted_at IS NOT NULL`,
};

function clientRules(machine: Machine): readonly Rule[] {
  const rule = ruleOf('clients');
  const impossible = jumps(machine, STATES_OF_CLIENTS);
  return [
    rule(
      'begins_with_its_machine',
      'insert',
      'a client begins as registered',
      beginsOtherwise(machine, STATES_OF_CLIENTS),
    ),
    rule('keeps_its_id', { update: columnsOf(clientTable, 'bound') }, 'a client keeps its id', [
      changed(columnsOf(clientTable, 'bound')),
    ]),
    ...(impossible.length === 0
      ? []
      : [
          rule(
            'moves_with_its_machine',
            { update: ['deleted_at'] },
            'no arm of the client machine leads there',
            impossible,
          ),
        ]),
    rule('epoch_rises', { update: ['epoch'] }, RISES, FORWARD_ONLY),
    rule('deletion_raises_epoch', { update: ['deleted_at'] }, 'deleting a client raises its epoch', [
      'OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL AND NEW.epoch <= OLD.epoch',
    ]),
    rule('deleted_has_no_secret', { update: ['deleted_at', 'secret_macs'] }, 'a deleted client has no secret', [
      "NEW.deleted_at IS NOT NULL AND NEW.secret_macs <> '[]'::jsonb",
    ]),
    rule('stays', 'delete', 'a client keeps its row, so that its id never revives a grant', []),
    rule('is_not_emptied', 'truncate', 'clients are deleted one by one', []),
  ];
}

/** src/lifecycles/user/lifecycle.ts derives them. */
const STATES_OF_USERS: Derived = {
  enabled: (row) => `${row}.deleted_at IS NULL AND ${row}.disabled_at IS NULL`,
  disabled: (row) => `${row}.deleted_at IS NULL AND ${row}.disabled_at IS NOT NULL`,
  deleted: (row) => `${row}.deleted_at IS NOT NULL`,
};

function userRules(machine: Machine): readonly Rule[] {
  const rule = ruleOf('users');
  const kept = [...columnsOf(userTable, 'record'), 'disabled_at', 'deleted_at'];
  return [
    rule(
      'begins_with_its_machine',
      'insert',
      'an end-user begins as enabled',
      beginsOtherwise(machine, STATES_OF_USERS),
    ),
    rule('keeps_its_sub', { update: columnsOf(userTable, 'bound') }, 'an end-user keeps the sub', [
      changed(columnsOf(userTable, 'bound')),
    ]),
    rule(
      'moves_with_its_machine',
      { update: ['disabled_at', 'deleted_at'] },
      'no arm of the user machine leads there',
      jumps(machine, STATES_OF_USERS),
    ),
    rule('epoch_rises', { update: ['epoch'] }, RISES, FORWARD_ONLY),
    rule('disabling_raises_epoch', { update: ['disabled_at'] }, 'disabling an end-user raises the epoch', [
      'OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL AND NEW.epoch <= OLD.epoch',
    ]),
    rule('deletion_raises_epoch', { update: ['deleted_at'] }, 'deleting an end-user raises the epoch', [
      'OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL AND NEW.epoch <= OLD.epoch',
    ]),
    rule('deletion_erases', { update: ['deleted_at'] }, 'nothing but the sub is left of a deleted end-user', [
      "NEW.deleted_at IS NOT NULL AND (NEW.disabled_at IS NULL OR NEW.username <> '' OR NEW.password_hash <> '' OR NEW.imported_hash IS NOT NULL OR NEW.password_by_link_at IS NOT NULL OR NEW.claims <> '{}'::jsonb)",
    ]),
    rule('erased_stays_erased', { update: kept }, 'what was erased of an end-user does not come back', [
      `OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NOT NULL AND ${changed(kept)}`,
    ]),
    rule('stays', 'delete', 'an end-user keeps the row, so that nobody else gets the sub', []),
    rule('is_not_emptied', 'truncate', 'end-users are deleted one by one', []),
  ];
}

function emailChallengeRules(machine: Machine): readonly Rule[] {
  const moves = movesOf(machine);
  const endings = pairsOf(moves, 'supersedeLink');
  const rule = ruleOf('email_challenges');
  return [
    rule('begins_with_its_machine', 'insert', 'a link is stored as active, and is the newest', [
      `NOT ${oneOf('NEW.state', statesAfter(machine.initial, moves))}`,
      'NEW.newer_links <> 0',
    ]),
    rule(
      'counts_newer_links',
      { update: ['newer_links'] },
      'newer links are counted one by one while a link is active',
      [`${changed(['newer_links'])} AND NOT (NEW.state = 'active' AND NEW.newer_links = OLD.newer_links + 1)`],
    ),
    rule('keeps_what_was_sent', { update: columnsOf(emailChallengeTable, 'bound') }, 'what was sent does not change', [
      changed(columnsOf(emailChallengeTable, 'bound')),
    ]),
    rule('moves_with_its_machine', { update: ['state'] }, 'no arm of the email-challenge machine leads there', [
      leavesThe(endings),
    ]),
    rule(
      'superseded_with_a_reason',
      { update: ['state', 'superseded_reason'] },
      'a link is superseded once, with a reason that its machine writes',
      [
        `NEW.state = OLD.state AND ${changed(['superseded_reason'])}`,
        ...endings
          .filter(({ reasons }) => reasons.length > 0)
          .map(
            ({ from, to, reasons }) =>
              `OLD.state = ${text(from)} AND NEW.state = ${text(to)} AND NOT coalesce(${oneOf('NEW.superseded_reason', reasons)}, false)`,
          ),
      ],
    ),
  ];
}

function externalSignInRules(machine: Machine): readonly Rule[] {
  const moves = movesOf(machine);
  const rule = ruleOf('external_sign_ins');
  const isLink = "NEW.purpose = 'link'";
  return [
    rule(
      'begins_with_its_machine',
      'insert',
      'an external sign-in begins in the first state of its machine, without an answer',
      [
        `NEW.state <> ${text(machine.initial)}`,
        `(${isLink}) <> (NEW.user_id IS NOT NULL)`,
        'NEW.amr IS NOT NULL',
        'NEW.authenticated_at IS NOT NULL',
        'NEW.refusal IS NOT NULL',
      ],
    ),
    rule(
      'keeps_what_began',
      { update: columnsOf(externalSignInTable, 'bound') },
      'an external sign-in stays that of its browser, its request and its place',
      [changed(columnsOf(externalSignInTable, 'bound'))],
    ),
    rule('moves_with_its_machine', { update: ['state'] }, 'no arm of the external sign-in machine leads there', [
      leavesThe(pairsOf(moves, '')),
    ]),
    rule(
      'answer_comes_with_its_state',
      { update: columnsOf(externalSignInTable, 'answer') },
      'what the other place has said comes with the state, and stays',
      [
        `NEW.state = OLD.state AND ${changed(columnsOf(externalSignInTable, 'answer'))}`,
        'OLD.user_id IS NOT NULL AND NEW.user_id IS DISTINCT FROM OLD.user_id',
        'OLD.amr IS NOT NULL AND NEW.amr IS DISTINCT FROM OLD.amr',
        'OLD.authenticated_at IS NOT NULL AND NEW.authenticated_at IS DISTINCT FROM OLD.authenticated_at',
        `(NEW.refusal IS NOT NULL) AND NOT ${oneOf('NEW.state', statesBy('recordRefusal', moves))}`,
      ],
    ),
    rule('stays_until_its_end', 'delete', 'an external sign-in stays until it has ended', ['OLD.ends_at >= now()']),
    rule('is_not_emptied', 'truncate', 'external sign-ins end one by one', []),
  ];
}

function linkedIdentityRules(machine: Machine): readonly Rule[] {
  const moves = movesOf(machine);
  const endings = pairsOf(moves, 'removeIdentity').filter(({ from }) => from !== machine.initial);
  const rule = ruleOf('linked_identities');
  return [
    rule('begins_with_its_machine', 'insert', 'an identity begins as linked', [
      `NOT ${oneOf('NEW.state', statesAfter(machine.initial, moves))}`,
    ]),
    rule(
      'keeps_what_was_linked',
      { update: columnsOf(linkedIdentityTable, 'bound') },
      'an identity stays that of its end-user and of its account',
      [changed(columnsOf(linkedIdentityTable, 'bound'))],
    ),
    rule('moves_with_its_machine', { update: ['state'] }, 'no arm of the linked identity machine leads there', [
      leavesThe(endings),
    ]),
    rule(
      'ends_once_with_a_reason',
      { update: ['removed_at', 'removed_reason'] },
      'an identity is removed once, with an instant and a reason that its machine writes',
      [
        `NEW.state = OLD.state AND ${changed(['removed_at', 'removed_reason'])}`,
        ...endings.map(
          ({ from, to, reasons }) =>
            `OLD.state = ${text(from)} AND NEW.state = ${text(to)} AND NOT coalesce(${oneOf('NEW.removed_reason', reasons)}, false)`,
        ),
      ],
    ),
    rule('stays_until_it_is_removed', 'delete', 'an identity stays until it is removed', [
      `NOT ${oneOf('OLD.state', endedStatesOf(machine))}`,
    ]),
    rule('is_not_emptied', 'truncate', 'identities are removed one by one', []),
  ];
}

function webhookDeliveryRules(machine: Machine): readonly Rule[] {
  const moves = movesOf(machine);
  const endings = pairsOf(moves, 'abandonDelivery').filter(({ reasons }) => reasons.length > 0);
  const rule = ruleOf('webhook_deliveries');
  return [
    rule('begins_with_its_machine', 'insert', 'a delivery begins in the first state of its machine, with no attempt', [
      `NEW.state <> ${text(machine.initial)}`,
      'NEW.attempts <> 0',
      'NEW.last_outcome IS NOT NULL',
    ]),
    rule(
      'keeps_its_event',
      { update: columnsOf(webhookDeliveryTable, 'bound') },
      'a delivery stays that of its event and of its receiver',
      [changed(columnsOf(webhookDeliveryTable, 'bound'))],
    ),
    rule('moves_with_its_machine', { update: ['state'] }, 'no arm of the webhook-delivery machine leads there', [
      leavesThe(pairsOf(moves, '')),
    ]),
    rule(
      'ends_once_with_a_reason',
      { update: ['ended_at', 'abandoned_reason'] },
      'a delivery ends with its state, and is given up for a reason that its machine writes',
      [
        `NEW.state = OLD.state AND ${changed(['ended_at', 'abandoned_reason'])}`,
        ...endings.map(
          ({ from, to, reasons }) =>
            `OLD.state = ${text(from)} AND NEW.state = ${text(to)} AND NOT coalesce(${oneOf('NEW.abandoned_reason', reasons)}, false)`,
        ),
      ],
    ),
    rule(
      'is_attempted_while_pending',
      { update: columnsOf(webhookDeliveryTable, 'attempt') },
      'only a pending delivery is attempted, and attempts are counted by one',
      [
        `OLD.state <> ${text(machine.initial)} AND NEW.state = OLD.state AND ${changed(columnsOf(webhookDeliveryTable, 'attempt'))}`,
        'NEW.attempts NOT IN (0, OLD.attempts, OLD.attempts + 1)',
      ],
    ),
    rule('stays_until_it_has_ended', 'delete', 'a delivery stays until it has ended', [
      `OLD.state = ${text(machine.initial)}`,
    ]),
    rule('is_not_emptied', 'truncate', 'deliveries end one by one', []),
  ];
}

function mailRules(machine: Machine): readonly Rule[] {
  const moves = movesOf(machine);
  const endings = pairsOf(moves, 'dropMail').filter(({ reasons }) => reasons.length > 0);
  const rule = ruleOf('mails');
  return [
    rule('begins_with_its_machine', 'insert', 'a mail begins in the first state of its machine, with no attempt', [
      `NEW.state <> ${text(machine.initial)}`,
      'NEW.attempts <> 0',
    ]),
    rule('keeps_what_was_written', { update: columnsOf(mailTable, 'bound') }, 'a mail stays that of its recipient', [
      changed(columnsOf(mailTable, 'bound')),
    ]),
    rule('moves_with_its_machine', { update: ['state'] }, 'no arm of the mail machine leads there', [
      leavesThe(pairsOf(moves, '')),
    ]),
    rule(
      'ends_once_with_a_reason',
      { update: ['ended_at', 'drop_reason'] },
      'a mail ends with its state, and is dropped for a reason that its machine writes',
      [
        `NEW.state = OLD.state AND ${changed(['ended_at', 'drop_reason'])}`,
        ...endings.map(
          ({ from, to, reasons }) =>
            `OLD.state = ${text(from)} AND NEW.state = ${text(to)} AND NOT coalesce(${oneOf('NEW.drop_reason', reasons)}, false)`,
        ),
      ],
    ),
    rule(
      'is_attempted_while_pending',
      { update: ['attempts'] },
      'only a pending mail is attempted, and attempts are counted by one',
      [
        `OLD.state <> ${text(machine.initial)} AND ${changed(['attempts'])}`,
        'NEW.attempts NOT IN (OLD.attempts, OLD.attempts + 1)',
      ],
    ),
    rule(
      'contents_are_only_erased',
      { update: ['sealed_contents'] },
      'the contents of a mail stay as they are, and are erased with its end',
      [`NEW.sealed_contents IS NOT NULL AND ${changed(['sealed_contents'])}`],
    ),
    rule('is_not_emptied', 'truncate', 'mails end one by one', []),
  ];
}

/** The version is under the MAC: so no MAC of an earlier version comes back, whoever has kept it. */
const macRule = ({ table, macs }: (typeof macColumns)[number]): Rule =>
  ruleOf(table as HeldTable)(
    'mac_moves_on',
    { update: [...macs, 'mac_version'] },
    'each MAC of a row has the next version',
    [
      'NEW.mac_version < OLD.mac_version',
      'NEW.mac_version > OLD.mac_version + 1',
      `${changed(macs)} AND NEW.mac_version = OLD.mac_version`,
    ],
  );

const beginsOnceRule = (table: HeldTable, name: string): Rule =>
  ruleOf(table)('begins_once', 'insert', 'what was deleted does not begin again', [
    `EXISTS (SELECT FROM "public"."ended_rows" e WHERE e."relation" = ${text(table)} AND e."key" = ${name})`,
  ]);

const epochRules: readonly Rule[] = [
  ruleOf('server')('epoch_rises', { update: ['epoch'] }, RISES, FORWARD_ONLY),
  ruleOf('server')('stays', 'delete', 'the server keeps its epoch', []),
  ruleOf('server')('is_not_emptied', 'truncate', 'the server keeps its epoch', []),
];

const consentRules: readonly Rule[] = [
  ruleOf('consents')(
    'keeps_whose_it_is',
    { update: columnsOf(consentTable, 'bound') },
    'a consent stays that of its end-user and client',
    [changed(columnsOf(consentTable, 'bound'))],
  ),
];

const ledgerRules: readonly Rule[] = [
  ruleOf('transitions')('append_only', 'update or delete', LEDGER_IS_NOT_EMPTIED.says, []),
  { ...LEDGER_IS_NOT_EMPTIED, table: 'transitions', on: 'truncate', when: [] },
];

// Building blocks of SQL.

function ruleOf(table: HeldTable) {
  return (name: string, on: Rule['on'], says: string, when: readonly string[], only?: string): Rule => ({
    table,
    name: `${table}_${name}`,
    on,
    when,
    ...(only !== undefined && { only }),
    says,
  });
}

/** @throws Error for a word with a quote or another special character; the machines and this file have none. */
export function text(word: string): string {
  if (!/^[\w ,.;:()-]*$/.test(word)) throw new Error(`not a word for SQL: ${word}`);
  return `'${word}'`;
}

const oneOf = (column: string, words: readonly string[]): string =>
  words.length === 0 ? 'false' : `(${column} IN (${words.map(text).join(', ')}))`;

function changed(columns: readonly string[]): string {
  const row = (side: string) => columns.map((column) => `${side}.${column}`).join(', ');
  return columns.length === 1
    ? `(${row('NEW')} IS DISTINCT FROM ${row('OLD')})`
    : `((${row('NEW')}) IS DISTINCT FROM (${row('OLD')}))`;
}

/** The state changes, but not along one of these pairs. */
function leavesThe(pairs: readonly { readonly from: string; readonly to: string }[]): string {
  const along = pairs.map(({ from, to }) => `(OLD.state = ${text(from)} AND NEW.state = ${text(to)})`);
  return `NEW.state <> OLD.state AND NOT (${along.length > 0 ? along.join(' OR ') : 'false'})`;
}

/** For states that are derived: what each of them is in SQL, of OLD or NEW. */
type Derived = Readonly<Record<string, (row: string) => string>>;

/** Each state that no arm leads to from the first, in which nothing is stored. */
const beginsOtherwise = (machine: Machine, states: Derived): readonly string[] => {
  const first = statesAfter(machine.initial, movesOf(machine));
  return Object.keys(states).flatMap((state) => (first.includes(state) ? [] : [states[state]?.('NEW') ?? 'true']));
};

/** Each change from one state to another that no arm makes. */
function jumps(machine: Machine, states: Derived): readonly string[] {
  const moves = movesOf(machine);
  const all = Object.keys(states).flatMap((from) => Object.keys(states).map((to) => ({ from, to })));
  return all
    .filter(({ from, to }) => from !== to && !moves.some((move) => move.from === from && move.to === to))
    .map(({ from, to }) => `${states[from]?.('OLD')} AND ${states[to]?.('NEW')}`);
}
