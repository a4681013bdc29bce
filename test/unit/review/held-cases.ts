/**
 * What Postgres must allow and what it must refuse, beside the generator and not by it: every pair of states from the machines, and
 * by hand what else a hostile or clumsy statement could try.
 */
import type { Machine } from '../../../src/review/machine/read.ts';
import { grant, interaction, type Subject, signingKey } from '../machines/catalogue.ts';
import { CLIENT, GRANT, INTERACTION, KEY, PERSON } from './held-rows.ts';

export type HeldCase = {
  readonly what: string;
  /** The last one is tried; what comes before must be allowed. */
  readonly statements: readonly string[];
  /** The rule that refuses; null: it is allowed, and does something. */
  readonly refusedBy: string | null;
};

const allowed = (what: string, ...statements: readonly string[]): HeldCase => ({ what, statements, refusedBy: null });
const refused = (refusedBy: string, what: string, ...statements: readonly string[]): HeldCase => ({
  what,
  statements,
  refusedBy,
});
const inTable = (table: string, key: string) => (row: string, set: string) =>
  `update ${table} set ${set} where ${key} = '${row}' returning 1`;
const ofGrant = inTable('grants', 'id');
const ofInteraction = inTable('interactions', 'id');
const ofKey = inTable('signing_keys', 'kid');

export type Column = { readonly table: string; readonly name: string; readonly type: string };

export const casesOf = (columns: readonly Column[]): readonly HeldCase[] => [
  ...boundCases(columns),
  ...sameAgain(columns),
  ...grantPairs(),
  ...GRANT_CASES,
  ...interactionPairs(),
  ...INTERACTION_CASES,
  ...keyPairs(),
  ...KEY_CASES,
  ...EPOCH_CASES,
  ...ledgerCases(),
];

// From the machines.

const pairs = ({ machine }: Subject): [from: string, to: string][] => {
  const states = machine.states.map(({ name }) => name);
  return states.flatMap((from) => states.map((to): [string, string] => [from, to]));
};

/** What the arms from one state to the other write with this effect; null: there is no such arm. */
function reasonsBetween({ states }: Machine, from: string, to: string, effect: string) {
  const arms = states.flatMap((state) => state.arms).filter((arm) => arm.state === from && arm.to === to);
  const reasons = arms.flatMap((arm) => arm.effects.filter(({ name }) => name === effect));
  return arms.length === 0 ? null : reasons.map(({ params }) => String(params['reason']));
}

const REASONS = [
  'authorization_code_reused',
  'refresh_token_reused',
  'chain_behind_token',
  'revocation_requested',
  'tokens_expired',
  'because',
];

function grantPairs(): readonly HeldCase[] {
  const { machine } = grant;
  const rows: Readonly<Record<string, readonly string[]>> = {
    active: [GRANT.waiting, GRANT.begun, GRANT.rotated],
    revoked: [GRANT.revoked, GRANT.revokedChain],
  };
  return pairs(grant).flatMap(([from, to]) =>
    (rows[from] ?? []).flatMap((row) => {
      if (from === to) return allowed(`grant ${row} stays ${from}`, ofGrant(row, `state = '${to}'`));
      const written = reasonsBetween(machine, from, to, 'writeRevoked');
      const tried = to === 'active' ? [null] : REASONS;
      return tried.map((reason) => {
        const what = `grant ${row} ${from} → ${to} (${reason})`;
        const set =
          reason === null
            ? 'revoked_at = null, revoked_reason = null'
            : `revoked_at = now(), revoked_reason = '${reason}'`;
        const statement = ofGrant(row, `state = '${to}', ${set}`);
        if (written === null) return refused('grants_moves_with_its_machine', what, statement);
        return reason !== null && written.includes(reason)
          ? allowed(what, statement)
          : refused('grants_ends_once_with_a_reason', what, statement);
      });
    }),
  );
}

function interactionPairs(): readonly HeldCase[] {
  const { machine } = interaction;
  return pairs(interaction).map(([from, to]) => {
    const what = `interaction ${from} → ${to}`;
    const row = INTERACTION[from as keyof typeof INTERACTION];
    if (from === to) return allowed(what, ofInteraction(row, `state = '${to}'`));
    // Whoever is there stays there, so that nothing but the states is tried.
    const person = from === 'awaitingSignIn' ? `'${PERSON.one}'` : 'subject_id';
    const statement = ofInteraction(row, `state = '${to}', subject_id = ${person}`);
    const exists = reasonsBetween(machine, from, to, '') !== null;
    return exists ? allowed(what, statement) : refused('interactions_moves_with_its_machine', what, statement);
  });
}

/** What a row of the state has to look like for the constraints of the table. */
const SHAPE: Readonly<Record<string, string>> = {
  published: "private_jwe = coalesce(private_jwe, '5ea1ed'), retired_reason = null",
  signing:
    "private_jwe = coalesce(private_jwe, '5ea1ed'), began_signing_at = coalesce(began_signing_at, now()), retired_reason = null",
  retiring: 'private_jwe = null, stopped_signing_at = coalesce(stopped_signing_at, now()), retired_reason = null',
  retired: 'private_jwe = null, retired_at = coalesce(retired_at, now())',
};

function keyPairs(): readonly HeldCase[] {
  const { machine } = signingKey;
  const hasSecret = (state: string) => state === 'published' || state === 'signing';
  return pairs(signingKey).flatMap(([from, to]) => {
    const row = KEY[from as keyof typeof KEY];
    if (from === to) return allowed(`key stays ${from}`, ofKey(row, `state = '${to}'`));
    const written = reasonsBetween(machine, from, to, 'retire');
    return (to === 'retired' ? REASONS : [null]).map((reason) => {
      const what = `key ${from} → ${to} (${reason})`;
      const why = reason === null ? '' : `, retired_reason = '${reason}'`;
      const statement = ofKey(row, `state = '${to}', ${SHAPE[to]}${why}`);
      if (!hasSecret(from) && hasSecret(to)) return refused('signing_keys_erased_stays_erased', what, statement);
      if (written === null) return refused('signing_keys_moves_with_its_machine', what, statement);
      return reason === null || written.includes(reason)
        ? allowed(what, statement)
        : refused('signing_keys_retires_with_a_reason', what, statement);
    });
  });
}

// Bound columns: each that is not named here must stay, so that a new one is asked about.

const MAY_CHANGE: Readonly<Record<string, readonly string[]>> = {
  grants: [
    'state',
    'revoked_at',
    'revoked_reason',
    'refresh_generation',
    'refresh_nonce',
    'last_used_at',
    'chain_ends_at',
  ],
  interactions: ['state', 'subject_id'],
  signing_keys: [
    'state',
    'private_jwe',
    'began_signing_at',
    'rotation_asked_at',
    'stopped_signing_at',
    'retired_at',
    'retired_reason',
    'signing',
  ],
};
const BOUND: Readonly<Record<string, readonly [rule: string, key: string, row: string]>> = {
  grants: ['grants_keeps_what_was_approved', 'id', GRANT.rotated],
  interactions: ['interactions_keeps_what_was_asked', 'id', INTERACTION.awaitingConsent],
  signing_keys: ['signing_keys_keeps_what_was_published', 'kid', KEY.signing],
};
/** Where a foreign key would refuse first. */
const ANOTHER: Readonly<Record<string, string>> = {
  client_id: `'${CLIENT.another}'`,
  subject_id: `'${PERSON.another}'`,
};
const DIFFERENT: Readonly<Record<string, (column: string) => string>> = {
  text: (column) => `coalesce(${column}, '') || 'x'`,
  uuid: () => 'gen_random_uuid()',
  bigint: (column) => `${column} + 1`,
  integer: (column) => `coalesce(${column}, 0) + 1`,
  bytea: (column) => `${column} || '\\x00'::bytea`,
  jsonb: () => `'{"changed": true}'`,
  ARRAY: (column) => `array_append(${column}, 'x')`,
  'timestamp with time zone': (column) => `${column} + interval '1 microsecond'`,
};

const boundCases = (columns: readonly Column[]): readonly HeldCase[] =>
  columns
    .filter(({ table, name }) => BOUND[table] && !MAY_CHANGE[table]?.includes(name))
    .map(({ table, name, type }) => {
      const [rule = '', key = '', row = ''] = BOUND[table] ?? [];
      const value = ANOTHER[name] ?? DIFFERENT[type]?.(name);
      if (value === undefined) throw new Error(`no other value for ${table}.${name} (${type})`);
      return refused(rule, `${table}.${name} changes`, inTable(table, key)(row, `${name} = ${value}`));
    });

const sameAgain = (columns: readonly Column[]): readonly HeldCase[] =>
  Object.entries(BOUND).map(([table, [, key, row]]) => {
    const bound = columns.filter((one) => one.table === table && !MAY_CHANGE[table]?.includes(one.name));
    return allowed(
      `${table}: what is bound is written again`,
      inTable(table, key)(row, bound.map(({ name }) => `${name} = ${name}`).join(', ')),
    );
  });

// By hand.

const FRESH = "decode(repeat('ab', 16), 'hex')";
const USED = 'last_used_at = now(), chain_ends_at = now()';
const HEAD = 'grants_head_moves_by_one';
const moved = (generation: string, nonce = FRESH) => `refresh_generation = ${generation}, refresh_nonce = ${nonce}`;
const GRANT_COLUMNS =
  'interaction_id, client_id, subject_id, client_epoch, subject_epoch, server_epoch, scope, resources, policy, code_hash, code_challenge, redirect_uri, code_ends_at, created_at';
/** As an approval makes one, with what is named here instead. */
function bornGrant(instead: Readonly<Record<string, string>> = {}, tail = ''): string {
  const columns = GRANT_COLUMNS.replace('interaction_id, ', '');
  const extra = { id: 'gen_random_uuid()', interaction_id: 'gen_random_uuid()', state: "'active'", ...instead };
  return `insert into grants (${Object.keys(extra).join(', ')}, ${columns}) select ${Object.values(extra).join(', ')}, ${columns}
    from grants where id = '${GRANT.waiting}' ${tail} returning 1`;
}
const deleteGrant = (row: string) => `delete from grants where id = '${row}' returning 1`;
const BORN = 'grants_is_born_new';

const GRANT_CASES: readonly HeldCase[] = [
  allowed('an exchange', ofGrant(GRANT.waiting, `${moved('0')}, ${USED}`)),
  allowed('a rotation', ofGrant(GRANT.rotated, `${moved('6')}, ${USED}`)),
  allowed('the first rotation', ofGrant(GRANT.begun, `${moved('1')}, ${USED}`)),
  ...['1', '-1', '5'].map((to) => refused(HEAD, `null → ${to}`, ofGrant(GRANT.waiting, `${moved(to)}, ${USED}`))),
  ...['-1', '0', '2'].map((to) => refused(HEAD, `0 → ${to}`, ofGrant(GRANT.begun, `${moved(to)}, ${USED}`))),
  ...['0', '4', '5', '7', '60'].map((to) =>
    refused(HEAD, `5 → ${to}`, ofGrant(GRANT.rotated, `${moved(to)}, ${USED}`)),
  ),
  refused(HEAD, 'back to no head', ofGrant(GRANT.rotated, moved('null', 'null'))),
  refused(HEAD, 'nonce without generation', ofGrant(GRANT.rotated, `refresh_nonce = ${FRESH}`)),
  refused(HEAD, 'generation without nonce', ofGrant(GRANT.rotated, 'refresh_generation = 6')),
  refused(HEAD, 'generation with the same nonce', ofGrant(GRANT.rotated, `${moved('6', 'refresh_nonce')}, ${USED}`)),
  ...[0, 15, 17].map((bytes) =>
    refused(
      HEAD,
      `a nonce of ${bytes}`,
      ofGrant(GRANT.rotated, `${moved('6', `decode(repeat('ab', ${bytes}), 'hex')`)}, ${USED}`),
    ),
  ),
  refused(HEAD, 'an exchange without its use', ofGrant(GRANT.waiting, `${moved('0')}, chain_ends_at = now()`)),
  refused(HEAD, 'an exchange without an end', ofGrant(GRANT.waiting, `${moved('0')}, last_used_at = now()`)),
  refused(HEAD, 'a rotation while revoked', ofGrant(GRANT.revokedChain, `${moved('6')}, ${USED}`)),
  refused(HEAD, 'an exchange while revoked', ofGrant(GRANT.revoked, `${moved('0')}, ${USED}`)),
  refused(
    HEAD,
    'a rotation with a revocation',
    ofGrant(
      GRANT.rotated,
      `${moved('6')}, ${USED}, state = 'revoked', revoked_at = now(), revoked_reason = 'refresh_token_reused'`,
    ),
  ),
  refused(
    'grants_times_move_with_the_head',
    'a later last use',
    ofGrant(GRANT.rotated, "last_used_at = now() + interval '1 s'"),
  ),
  refused(
    'grants_times_move_with_the_head',
    'a later end',
    ofGrant(GRANT.rotated, "chain_ends_at = now() + interval '1 year'"),
  ),
  refused('grants_times_move_with_the_head', 'a first use without a head', ofGrant(GRANT.waiting, USED)),
  refused(
    'grants_ends_once_with_a_reason',
    'a revocation without its instant',
    ofGrant(GRANT.rotated, "state = 'revoked', revoked_reason = 'refresh_token_reused'"),
  ),
  refused(
    'grants_ends_once_with_a_reason',
    'another reason',
    ofGrant(GRANT.revoked, "revoked_reason = 'revocation_requested'"),
  ),
  refused(
    'grants_ends_once_with_a_reason',
    'another instant',
    ofGrant(GRANT.revoked, "revoked_at = now() + interval '1 s'"),
  ),
  refused('grants_ends_once_with_a_reason', 'an instant while active', ofGrant(GRANT.rotated, 'revoked_at = now()')),
  refused(
    'grants_moves_with_its_machine',
    'every chain revived at once',
    "update grants set state = 'active', revoked_at = null, revoked_reason = null returning 1",
  ),
  allowed('a grant is born', bornGrant()),
  refused(BORN, 'born revoked', bornGrant({ state: "'revoked'", revoked_reason: "'revocation_requested'" })),
  refused(BORN, 'born with an end', bornGrant({ revoked_at: 'now()' })),
  refused(BORN, 'born with a head', bornGrant({ refresh_generation: '0', refresh_nonce: FRESH })),
  refused(BORN, 'born used', bornGrant({ last_used_at: 'now()' })),
  refused(BORN, 'born with the end of a chain', bornGrant({ chain_ends_at: 'now()' })),
  refused(
    'grants_is_born_once',
    'born again',
    deleteGrant(GRANT.endedRevoked),
    bornGrant({ id: `'${GRANT.endedRevoked}'` }),
  ),
  // What it cannot know any more, it cannot refuse.
  allowed(
    'born again after the ledger has forgotten it',
    deleteGrant(GRANT.forgotten),
    bornGrant({ id: `'${GRANT.forgotten}'` }),
  ),
  refused(
    'grants_moves_with_its_machine',
    'revived by an upsert',
    bornGrant(
      { id: `'${GRANT.forgotten}'` },
      "on conflict (id) do update set state = 'active', revoked_at = null, revoked_reason = null",
    ),
  ),
  refused(
    'grants_moves_with_its_machine',
    'revived by a merge',
    `merge into grants g using (select 1) o on g.id = '${GRANT.revoked}'
      when matched then update set state = 'active', revoked_at = null, revoked_reason = null`,
  ),
  ...[GRANT.endedCode, GRANT.endedChain, GRANT.endedRevoked].map((row) =>
    allowed(`${row} is removed`, deleteGrant(row)),
  ),
  ...[GRANT.waiting, GRANT.rotated, GRANT.revoked, GRANT.revokedChain, GRANT.justEnded].map((row) =>
    refused('grants_stays_until_its_end', `${row} is removed`, deleteGrant(row)),
  ),
  refused('grants_is_not_emptied', 'grants are emptied', 'truncate grants'),
  refused('grants_is_not_emptied', 'grants are emptied with their clients', 'truncate clients cascade'),
];

const bornInteraction = (instead: Readonly<Record<string, string>> = {}) => {
  const columns =
    'browser_hash, client_id, client_epoch, redirect_uri, code_challenge, scope, resources, created_at, ends_at';
  const extra = { id: 'gen_random_uuid()', state: "'awaitingSignIn'", ...instead };
  return `insert into interactions (${Object.keys(extra).join(', ')}, ${columns}) select ${Object.values(extra).join(', ')}, ${columns}
    from interactions where id = '${INTERACTION.approved}' returning 1`;
};
const ANOTHER_PERSON = `subject_id = '${PERSON.another}'`;

const INTERACTION_CASES: readonly HeldCase[] = [
  allowed('an interaction is born', bornInteraction()),
  ...['awaitingConsent', 'approved', 'denied'].map((state) =>
    refused('interactions_is_born_new', `born as ${state}`, bornInteraction({ state: `'${state}'` })),
  ),
  refused('interactions_is_born_new', 'born with somebody', bornInteraction({ subject_id: `'${PERSON.one}'` })),
  allowed('another person signs in', ofInteraction(INTERACTION.awaitingConsent, ANOTHER_PERSON)),
  ...([INTERACTION.approved, INTERACTION.denied] as const).flatMap((row) => [
    refused('interactions_is_answered_by_one', `${row} by another`, ofInteraction(row, ANOTHER_PERSON)),
    refused('interactions_is_answered_by_one', `${row} by nobody`, ofInteraction(row, 'subject_id = null')),
  ]),
  refused(
    'interactions_is_answered_by_one',
    'approved by nobody',
    ofInteraction(INTERACTION.awaitingSignIn, "state = 'approved'"),
  ),
  allowed('denied by nobody', ofInteraction(INTERACTION.awaitingSignIn, "state = 'denied'")),
  allowed('one that has ended is removed', `delete from interactions where id = '${INTERACTION.ended}' returning 1`),
  refused('interactions_stays_until_its_end', 'removed', `delete from interactions where id = '${INTERACTION.denied}'`),
  refused('interactions_is_not_emptied', 'interactions are emptied', 'truncate interactions'),
];

const bornKey = (state: string, instead: Readonly<Record<string, string>> = {}) => {
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
const BORN_KEY = 'signing_keys_is_born_to_sign';

const KEY_CASES: readonly HeldCase[] = [
  allowed('a key is born', bornKey('published')),
  allowed('a key is born and signs', bornKey('signing')),
  refused(BORN_KEY, 'born retiring', bornKey('retiring', { private_jwe: 'null', stopped_signing_at: 'now()' })),
  refused(
    BORN_KEY,
    'born retired',
    bornKey('retired', { private_jwe: 'null', retired_at: 'now()', retired_reason: "'tokens_expired'" }),
  ),
  refused(BORN_KEY, 'born as one that stopped', bornKey('published', { stopped_signing_at: 'now()' })),
  refused(BORN_KEY, 'born as one that retired', bornKey('published', { retired_at: 'now()' })),
  allowed('a key is encrypted anew', ofKey(KEY.signing, "private_jwe = 'again'")),
  allowed('a rotation is asked for', ofKey(KEY.signing, 'rotation_asked_at = now()')),
  refused(
    'signing_keys_retires_with_a_reason',
    'another reason',
    ofKey(KEY.retired, "retired_reason = 'revocation_requested'"),
  ),
  refused(
    'signing_keys_retires_with_a_reason',
    'retired at another time',
    ofKey(KEY.retired, "retired_at = now() + interval '1 s'"),
  ),
  refused('signing_keys_retires_with_a_reason', 'an end while it signs', ofKey(KEY.signing, 'retired_at = now()')),
  refused('signing_keys_instants_stay', 'it never signed', ofKey(KEY.retiring, 'began_signing_at = null')),
  refused(
    'signing_keys_instants_stay',
    'it never stopped',
    ofKey(
      KEY.retiring,
      "state = 'retired', retired_at = now(), retired_reason = 'tokens_expired', stopped_signing_at = null",
    ),
  ),
  refused(
    'signing_keys_instants_stay',
    'it signed until later',
    ofKey(KEY.retired, "stopped_signing_at = now() + interval '1 s'"),
  ),
  refused(
    'signing_keys_instants_stay',
    'it signed since later',
    ofKey(KEY.retired, "began_signing_at = now() + interval '1 s'"),
  ),
  ...Object.values(KEY).map((kid) =>
    refused('signing_keys_stays', `key ${kid} is removed`, `delete from signing_keys where kid = '${kid}'`),
  ),
  // docs/deploying.md, "If it leaked".
  allowed(
    'every key retires at once',
    "update signing_keys set state = 'retired', private_jwe = null, retired_at = now(), retired_reason = 'revocation_requested' where state <> 'retired' returning 1",
  ),
  refused('signing_keys_is_not_emptied', 'keys are emptied', 'truncate signing_keys'),
];

const EPOCH_CASES: readonly HeldCase[] = [
  ...(
    [
      ['clients', `client_id = '${CLIENT.one}'`],
      ['users', `id = '${PERSON.one}'`],
      ['server', 'id = 1'],
    ] as const
  ).flatMap(([table, where]) => [
    allowed(`an epoch of ${table} rises`, `update ${table} set epoch = epoch + 1 where ${where} returning 1`),
    allowed(`an epoch of ${table} stays`, `update ${table} set epoch = epoch where ${where} returning 1`),
    refused(
      `${table}_epoch_rises`,
      `an epoch of ${table} falls`,
      `update ${table} set epoch = epoch - 1 where ${where}`,
    ),
    refused(`${table}_epoch_rises`, `an epoch of ${table} falls far`, `update ${table} set epoch = 0 where ${where}`),
  ]),
  ...(
    [
      ['clients', 'client_id', 'deleted_at', CLIENT.one, CLIENT.deleted, 'clients_deletion_raises_epoch'],
      ['users', 'id', 'disabled_at', PERSON.one, PERSON.disabled, 'users_disabling_raises_epoch'],
    ] as const
  ).flatMap(([table, key, ended, alive, over, rule]) => {
    const set = inTable(table, key);
    return [
      allowed(`one of ${table} ends`, set(alive, `${ended} = now(), epoch = epoch + 1`)),
      refused(rule, `one of ${table} ends, and its epoch stays`, set(alive, `${ended} = now()`)),
      allowed(`one of ${table} comes back`, set(over, `${ended} = null`)),
      allowed(`one of ${table} ends once more`, set(over, `${ended} = now()`)),
    ];
  }),
  refused('server_stays', 'the server loses its row', 'delete from server'),
  refused('server_is_not_emptied', 'the server is emptied', 'truncate server'),
];

function ledgerCases(): readonly HeldCase[] {
  const now = new Date();
  const month = (ahead: number) =>
    `transitions_${new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead)).toISOString().slice(0, 7).replace('-', '_')}`;
  const all = ['transitions', 'transitions_default', month(0), month(2)];
  return [
    allowed(
      'a line is written',
      "insert into transitions (at, machine, event, from_state, to_state) values (now(), 'm', 'e', 'f', 't') returning 1",
    ),
    ...all.flatMap((table) => [
      ...(table === month(2)
        ? []
        : [
            refused(
              'transitions_append_only',
              `a line of ${table} is changed`,
              `update ${table} set reason = 'forged'`,
            ),
            refused('transitions_append_only', `a line of ${table} is removed`, `delete from ${table}`),
          ]),
      refused('transitions_is_not_emptied', `${table} is emptied`, `truncate ${table}`),
    ]),
  ];
}
