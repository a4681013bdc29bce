/**
 * Do the cases detect every slip? The SQL with one part missing or wrong, and the SQL of a machine with one arm or word changed: some case
 * of held-cases.ts must fail for each.
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMachine } from '../../../src/catalogue/read.ts';
import type { Rule } from '../../../src/lifecycles/rules.ts';
import { type Machines, heldMachines as machines, rulesOf } from '../../../src/review/sql/rules.ts';
import { textOf } from '../../../src/review/sql/text.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { casesOf, type HeldCase } from './held-cases.ts';
import { putRows } from './held-rows.ts';
import { columnsOf, surprise } from './hold.ts';

type Mutant = { readonly what: string; readonly text: string };

let opened: TestDatabase;
let cases: HeldCase[];
const db = () => opened.database.drizzle;
beforeAll(async () => {
  opened = await openTestDatabase('postgres');
  await putRows(db());
  cases = [...casesOf(await columnsOf(db()))];
});
afterAll(() => opened.close());

const statementsOf = (text: string) => text.split('--> statement-breakpoint');

/** Only what differs, so that many can be tried. */
async function replace(from: string, to: string): Promise<void> {
  const there = new Set(statementsOf(from));
  for (const statement of statementsOf(to)) {
    // A loop over partitions creates another object when another object is there.
    if (!there.has(statement) || statement.includes('DO $$')) await db().execute(sql.raw(statement));
  }
}

/** @returns the first surprise. */
async function seenBy(mutant: Mutant): Promise<string | null> {
  await replace(asItIs, mutant.text);
  try {
    for (const one of likeliestFirst(mutant)) {
      const surprised = await surprise(db(), one);
      if (surprised !== null) return surprised;
    }
    return null;
  } finally {
    await replace(mutant.text, asItIs);
  }
}

/** First the cases that a changed rule should refuse, then those that write to its table. */
function likeliestFirst({ text }: Mutant): readonly HeldCase[] {
  const [before, after] = [statementsOf(asItIs), statementsOf(text)];
  const changed = [
    ...before.filter((one) => !after.includes(one)),
    ...after.filter((one) => !before.includes(one)),
  ].join();
  const near = rules.filter(({ name }) => changed.includes(`"${name}"`));
  const distance = ({ refusedBy, statements }: HeldCase) => {
    if (near.some(({ name }) => name === refusedBy)) return 0;
    return near.some(({ table }) => statements.some((statement) => statement.includes(table))) ? 1 : 2;
  };
  return cases.toSorted((one, other) => distance(one) - distance(other));
}

const rules = rulesOf(machines);
const asItIs = textOf(rules);
const withRule = (index: number, ...instead: readonly Rule[]) => textOf(rules.toSpliced(index, 1, ...instead));
const without = <T>(all: readonly T[], index: number): readonly T[] => all.toSpliced(index, 1);

const whole: readonly Mutant[] = rules.map(({ name }, index) => ({ what: `${name} dropped`, text: withRule(index) }));

const conditions: readonly Mutant[] = rules.flatMap((rule, index) => [
  ...(rule.when.length < 2 ? [] : rule.when).map((condition, at) => ({
    what: `${rule.name} without: ${condition}`,
    text: withRule(index, { ...rule, when: without(rule.when, at) }),
  })),
  ...(rule.when.length === 0
    ? []
    : [{ what: `${rule.name} refuses always`, text: withRule(index, { ...rule, when: [] }) }]),
]);

const columns: readonly Mutant[] = rules.flatMap((rule, index) => {
  const { on, when } = rule;
  if (typeof on !== 'object') return [];
  return on.update.flatMap((column, at) => [
    ...(on.update.length < 2
      ? []
      : [
          {
            what: `${rule.name} not asked about ${column}`,
            text: withRule(index, { ...rule, on: { update: without(on.update, at) } }),
          },
        ]),
    ...(rule.name.includes('_keeps_what_')
      ? [
          {
            what: `${rule.name} does not compare ${column}`,
            text: withRule(index, { ...rule, when: when.map((condition) => withoutColumn(condition, column)) }),
          },
        ]
      : []),
  ]);
});

function withoutColumn(condition: string, column: string): string {
  return condition.replaceAll(new RegExp(`(NEW|OLD)\\.${column}(, )|, (NEW|OLD)\\.${column}\\b`, 'g'), '');
}

/** A row of `used_jtis` is stored once and never moves: no SQL has the states of its machine. */
const MOVED = (Object.keys(machines) as (keyof Machines)[]).filter((name) => name !== 'usedJti');

/** States from which the same states follow as from the initial one: the SQL is the same. */
const LIKE_THE_INITIAL: Partial<Record<keyof Machines, string>> = { client: 'deleted', clientDocument: 'refused' };

/** The machine says something else than the one that was reviewed; the cases still speak for that one. */
const ofMachines: readonly Mutant[] = MOVED.flatMap((name) => {
  const changed = (what: string, change: (config: Loose) => void): Mutant => {
    const config = JSON.parse(JSON.stringify(machines[name].written)) as Loose;
    change(config);
    return { what: `${name}: ${what}`, text: textOf(rulesOf({ ...machines, [name]: readMachine(config) })) };
  };
  const states = machines[name].states.map((state) => state.name);
  // A constraint of the table refuses a row in this state.
  const stored = states.filter(
    (state) =>
      !['unpublished', 'unregistered', 'unlinked', 'unrequested', 'unissued', 'unpushed', 'unseen'].includes(state) &&
      !(name === 'trustedBrowser' && state === 'requested'),
  );
  return [
    ...states
      .filter((state) => state !== machines[name].initial && LIKE_THE_INITIAL[name] !== state)
      .map((state) =>
        changed(`begins as ${state}`, (config) => {
          config.initial = state;
        }),
      ),
    ...states.flatMap((from) =>
      stored
        .filter((to) => to !== from && !leads(name, from, to))
        .map((to) =>
          changed(`an arm from ${from} to ${to}`, (config) => {
            Object.assign(config.states[from]?.on ?? {}, { slipped: { target: to } });
          }),
        ),
    ),
    ...states.flatMap((from) =>
      states
        .filter((to) => to !== from && leads(name, from, to))
        .map((to) =>
          changed(`no arm from ${from} to ${to}`, (config) => {
            const on = config.states[from]?.on ?? {};
            for (const event of Object.keys(on))
              on[event] = [on[event] ?? []].flat().filter(({ target }) => target !== to);
          }),
        ),
    ),
  ];
});
type Loose = { initial: string; states: Record<string, { on: Record<string, { target?: string }[]> }> };
function leads(name: keyof Machines, from: string, to: string): boolean {
  const arms = machines[name].states.flatMap((state) => state.arms);
  return arms.some((arm) => arm.state === from && arm.to === to);
}

/** A reason that is not written any more: ends with it would be refused. */
const reasons: readonly Mutant[] = [
  'authorization_code_reused',
  'refresh_token_reused',
  'chain_behind_token',
  'revocation_requested',
  'session_idle',
  'session_too_old',
  'second_factor_missing',
  'signed_out',
  'ended_by_user',
  'ended_by_administrator',
  'signed_in_again',
  'removed_by_user',
  'removed_by_administrator',
  'user_deleted',
].map((reason) => ({
  what: `no ${reason}`,
  text: asItIs.replaceAll(new RegExp(`'${reason}', |, '${reason}'`, 'g'), ''),
}));

const byHand: readonly Mutant[] = [
  {
    what: 'grants_begins_once dropped',
    text: asItIs.replace(
      /CREATE OR REPLACE TRIGGER "grants_begins_once"[^;]+/,
      'DROP TRIGGER "grants_begins_once" ON grants',
    ),
  },
  {
    what: 'a nonce of 15',
    text: asItIs.replace('IS DISTINCT FROM 16', 'IS DISTINCT FROM 15'),
  },
  { what: 'generations by two', text: asItIs.replace('refresh_generation + 1', 'refresh_generation + 2') },
  {
    what: 'generations from one',
    text: asItIs.replace('refresh_generation + 1, 0', 'refresh_generation + 1, 1'),
  },
  { what: 'epochs only fall', text: asItIs.replaceAll('NEW.epoch < OLD.epoch', 'NEW.epoch > OLD.epoch') },
  { what: 'epochs never move', text: asItIs.replaceAll('NEW.epoch < OLD.epoch', 'NEW.epoch <> OLD.epoch') },
  { what: 'a grant goes at its end', text: asItIs.replace(" - interval '3600 seconds'", '') },
  {
    what: 'the refusal returns',
    text: asItIs.replace('RAISE EXCEPTION', 'RAISE NOTICE'),
  },
];

/** No case can see these: something else refuses the same. */
const EXPLAINED: Readonly<Record<string, string>> = {
  "interactions_begins_with_its_machine without: NOT (NEW.state IN ('awaitingSignIn', 'approved', 'awaitingConsent', 'denied'))":
    'today every state is one arm away from the first, and the constraint of the table admits no other',
  "signing_keys_begins_with_its_machine without: NOT (NEW.state IN ('signing', 'published'))":
    'the constraints of the table ask a key that retires for its instants, and it is not inserted with those',
  'users_erased_stays_erased not asked about sign_in_address':
    'the trigger an_identifier_is_of_one_user, which runs before, takes the address of every deleted row away',
  'users_moves_with_its_machine not asked about disabled_at': 'today each change of disabled_at alone has an arm',
  'second_factors_removed_stays_removed without: OLD.sealed_secret IS NULL AND NEW.sealed_secret IS NOT NULL':
    'the constraint of the table ties the secret to the state, and no arm leaves the removed state; it holds should an arm slip in',
  'second_factors_removed_stays_removed not asked about sealed_secret': 'the same',
  'passkeys_removed_stays_removed without: OLD.public_key IS NULL AND NEW.public_key IS NOT NULL':
    'the same, of the public key',
  'passkeys_removed_stays_removed not asked about public_key': 'the same',
  'signingKey: an arm from unpublished to retiring': 'the same as for the conditions of that rule',
  'signingKey: an arm from unpublished to retired': 'the same',
  'signingKey: an arm from retiring to published':
    'a private half that was erased does not come back, whatever the state',
  'signingKey: an arm from retiring to signing': 'the same',
  'emailChallenge: an arm from active to unsent': 'the constraint of the table knows no link that was not sent',
  'emailChallenge: an arm from used to unsent': 'the same',
  'emailChallenge: an arm from superseded to unsent': 'the same',
  'signInCode: an arm from active to requested':
    'a code in that state is that of no end-user by the constraint of the table, and a code that was sent stays that of its end-user',
  'signInCode: an arm from used to requested': 'the same',
  'signInCode: an arm from requested to used':
    'the constraint of the table asks for an end-user, whom a code gets when it is sent, and only then',
  'signInCode: an arm from unrequested to active': 'the same',
  'signInCode: an arm from unrequested to used': 'the same',
  'sign_in_codes_begins_with_its_machine without: NEW.user_id IS NOT NULL':
    'the constraints of the table tie the three columns to each other and to the state',
  'sign_in_codes_begins_with_its_machine without: NEW.user_epoch IS NOT NULL': 'the same',
  'sign_in_codes_begins_with_its_machine without: NEW.address IS NOT NULL': 'the same',
  'trusted_browsers_stays_ended without: OLD.secret_hash IS NULL AND NEW.secret_hash IS NOT NULL':
    'the constraint of the table ties the hash to the state, and no arm leaves the ended state; it holds should an arm slip in',
  'operatorSetUp: an arm from unissued to used':
    'the constraint of the table asks a used link for its end-user, and no link begins with one',
  'operator_set_ups_begins_with_its_machine without: NEW.user_id IS NOT NULL':
    'the constraint of the table admits no end-user of a link that was not used',
  'operatorSetUp: an arm from used to active':
    'an active link has no end-user by the constraint of the table, and a used one keeps its end-user',
  'operatorSetUp: an arm from ended to used':
    'an ended set-up keeps its reason, and a used one has none by the constraint',
  'operator_set_ups_ends_with_a_reason not asked about state':
    'the constraint of the table asks for a reason where the state changes, and only there',
  "operator_set_ups_ends_with_a_reason without: OLD.state = 'used' AND NEW.state = 'ended' AND NOT coalesce((NEW.ended_reason IN ('replaced', 'operator_declared')), false)":
    'the cases end a link that was not used with a wrong reason; the rule names both states from which a set-up ends',
  'mail: an arm from sent to pending':
    'a mail that waits has contents by the constraint of the table, and contents that were erased do not come back',
  'mail: an arm from dropped to pending': 'the same',
  'email_challenges_superseded_with_a_reason not asked about state':
    'the constraint of the table asks for a reason where the state changes, and only there',
};

const mutants = [...whole, ...conditions, ...columns, ...ofMachines, ...reasons, ...byHand];

test('each mutant is different SQL', () => {
  expect(mutants.filter(({ text }) => text === asItIs).map(({ what }) => what)).toEqual([]);
  expect(mutants.length).toBeGreaterThan(150);
});

test('each unexplained mutant fails some case; the unchanged SQL fails none', async () => {
  const unseen = [];
  for (const mutant of mutants) if ((await seenBy(mutant)) === null) unseen.push(mutant.what);
  expect(unseen.toSorted()).toEqual(Object.keys(EXPLAINED).toSorted());
  expect(await seenBy({ what: 'none', text: asItIs })).toBeNull();
});
