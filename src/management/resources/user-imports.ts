/**
 * The import of end-users from another system, some records a request: the work of `statehouse users import` on the database, by the same
 * code. A repeated request finds the end-users as they are, so it needs no Idempotency-Key.
 */
import { z } from 'zod';
import { describeRecordProblem } from '../../config/problem.ts';
import { addressesIdentify } from '../../model/user.ts';
import { subKey } from '../../oauth/sub.ts';
import { usernameKey } from '../../oauth/username.ts';
import type { Notice } from '../../people/mail/mail.ts';
import { serviceNames } from '../../people/passwords/rules.ts';
import { scopeOfAdministrator } from '../../protocol/administrators.ts';
import { type FoundUser, type PlacedUser, userPlacing } from '../../registration/import-users.ts';
import { passkeyHost } from '../../registration/imported-passkey.ts';
import { type ImportedUser, readImportedUser } from '../../registration/imported-user.ts';
import { judgeUserRecord } from '../../registration/user-record.ts';
import { credentialKey } from '../../storage/imported-ways.ts';
import type { ManagementDeps } from '../deps.ts';
import { tellOwner } from '../notices.ts';
import { inParts } from '../partly-stored.ts';
import { found, resource } from '../resource.ts';

/** Within the bound of a body. */
const MAX_RECORDS = 100;

const rulesShape = z
  .object({
    rp_id: z.string().nullable().describe('The host name for which imported passkeys have to be made. Null: none can.'),
    fast_hashes: z.boolean().describe('`importFastHashes` of the policy: salted digests are accepted.'),
    password_pepper: z.boolean().describe('The server has a pepper for `{devise}` hashes.'),
    addresses_identify: z
      .boolean()
      .describe('`identifiers` of the policy includes addresses: a verified address belongs to one end-user.'),
  })
  .meta({ id: 'UserImportRules' });

const resultShape = z.object({
  outcome: z
    .enum(['created', 'updated', 'unchanged', 'refused', 'new', 'known'])
    .describe('Of a dry run: `new`, `known` or `refused`.'),
  username: z.string().nullable().describe('As stored. Null: the record has none that can be read.'),
  sub: z.string().nullable().describe('Null: refused, or a dry run.'),
  changed: z.array(z.string()),
  disabled: z.boolean().describe('The end-user was disabled before. A record enables no end-user.'),
  operator: z.boolean().describe('operators.yaml gives a role to this username.'),
  notes: z.array(z.string()).describe('The parts that could not be stored, with the reason.'),
  reasons: z.array(z.string()).describe('Why the record was refused: nothing of it is stored.'),
});
const answer = z
  .object({ results: z.array(resultShape).describe('In the order of the records.') })
  .meta({ id: 'UserImportResults' });
type Result = z.output<typeof resultShape>;

const RECORD = { username: 'ada', password_hash: '$2b$10$…', created_at: '2020-01-31T12:00:00Z' };

export const userImports = resource('/user-imports', 'the import of end-users', {}, (method) => ({
  GET: method({
    summary: 'The rules of the server for the records of an import.',
    answer: rulesShape,
    run: async (deps) => {
      const { hashes, rpId, policy } = rulesOf(deps);
      return found({
        rp_id: rpId,
        fast_hashes: hashes.fast,
        password_pepper: hashes.peppered,
        addresses_identify: addressesIdentify(policy),
      });
    },
  }),
  POST: method({
    summary:
      'Registers or updates end-users of another system, with `sub`, password hashes, linked identities, authenticator apps, passkeys and recovery codes. Each record is stored whole or refused; the others are not concerned. A repeated request changes nothing.',
    body: z.strictObject({
      records: z
        .array(z.record(z.string(), z.unknown()))
        .min(1)
        .max(MAX_RECORDS)
        .describe('Members as in docs/importing-people.md.'),
      dry_run: z.boolean().default(false).describe('True: checks the records, and changes nothing.'),
    }),
    example: { records: [RECORD] },
    answer,
    run: async (deps, { body: { records, dry_run: isDry }, actor }) => {
      const { db, clock, macs, keys, random, passwordPepper = null } = deps;
      const placing = userPlacing({ db, clock, macs, keys, random, passwordPepper, actor });
      const readings = await readingsOf(deps, records);
      const good = readings.flatMap((one) => ('value' in one ? [one] : []));
      const values = good.map(({ value }) => value);
      const outcomes = isDry ? await placing.find(values) : await inParts(() => placing.place(values));
      await inParts(async () => {
        for (const outcome of outcomes) await tellOfNewFactors(deps, outcome);
      });
      const results = new Map<Reading, Result>(
        good.map((one, place) => [one, resultOf(deps, one, outcomes[place] as FoundUser | PlacedUser)]),
      );
      return found({ results: readings.map((one) => results.get(one) ?? refusedResult(one)) });
    },
  }),
}));

/** The mail about a factor that an import adds to an account, by the name of the change. */
const NOTICES: Readonly<Record<string, Notice>> = {
  passkeys: 'passkey_added',
  authenticator_apps: 'second_factor_added',
};

/** The owner of an account hears of each factor that an import adds to it. A new account has no owner yet. */
async function tellOfNewFactors(deps: ManagementDeps, outcome: FoundUser | PlacedUser): Promise<void> {
  if (outcome.kind !== 'placed' || outcome.outcome !== 'updated') return;
  const { id, changed } = outcome;
  if (id === undefined) return;
  for (const notice of changed.flatMap((change) => NOTICES[change] ?? [])) await tellOwner(deps, id, notice);
}

function rulesOf({ issuer, configuration, isBreached, passwordPepper = null }: ManagementDeps) {
  const { signIn: policy, branding } = configuration();
  return {
    policy,
    isBreached,
    service: serviceNames(issuer, branding.organization),
    hashes: { fast: policy.importFastHashes, peppered: passwordPepper !== null },
    rpId: passkeyHost(issuer),
  };
}

type Good = { readonly value: ImportedUser; readonly warnings: readonly string[] };
type Reading = Good | { readonly username: string | null; readonly reasons: readonly string[] };

async function readingsOf(
  deps: ManagementDeps,
  records: readonly Readonly<Record<string, unknown>>[],
): Promise<readonly Reading[]> {
  const seen = new Set<string>();
  const readings: Reading[] = [];
  for (const record of records) {
    const reading = await readingOf(deps, record);
    const identifiers = 'value' in reading ? identifiersIn(reading.value) : [];
    const twice = identifiers.filter(({ key }) => seen.has(key));
    for (const { key } of identifiers) seen.add(key);
    const reasons = twice.map(({ member }) => `${member}: Expected a value that no other record has.`);
    readings.push(reasons.length > 0 ? { ...usernameIn(record), reasons } : reading);
  }
  return readings;
}

/** Each belongs to one end-user. */
const identifiersIn = ({ username, sub, passkeys }: ImportedUser) => [
  { member: 'username', key: `username ${usernameKey(username)}` },
  // A UUID in another case is refused beside a stored one, too.
  ...(sub === null ? [] : [{ member: 'sub', key: `sub ${subKey(sub)}` }]),
  ...passkeys.map(({ credentialId }, place) => ({
    member: `passkeys.${place}.credential_id`,
    key: `credential ${credentialKey(credentialId)}`,
  })),
];

async function readingOf(deps: ManagementDeps, record: Readonly<Record<string, unknown>>): Promise<Reading> {
  const rules = rulesOf(deps);
  const reading = readImportedUser(record, deps.production, rules);
  const refusal = (problems: readonly Parameters<typeof describeRecordProblem>[0][]) => ({
    ...usernameIn(record),
    reasons: problems.map((one) => describeRecordProblem(one)),
  });
  if (!reading.ok) return refusal(reading.problems);
  const { username, password, claims } = reading.value;
  if (password === null) return reading;
  // As for an end-user who is registered: how soon it is guessed counts too.
  const { email } = claims;
  const judged = await judgeUserRecord(
    { username, password, ...(typeof email === 'string' && { email }) },
    deps.production,
    rules,
  );
  if (!judged.ok) return refusal(judged.problems);
  return { value: reading.value, warnings: [...new Set([...reading.warnings, ...judged.warnings])] };
}

const usernameIn = ({ username }: Readonly<Record<string, unknown>>) => ({
  username: typeof username === 'string' ? username : null,
});

const emptyResult = (username: string | null): Omit<Result, 'outcome'> => ({
  ...{ username, sub: null, changed: [], disabled: false, operator: false, notes: [], reasons: [] },
});

const refusedResult = (reading: Reading): Result => {
  const { username, reasons } = 'reasons' in reading ? reading : { username: reading.value.username, reasons: [] };
  return { ...emptyResult(username), outcome: 'refused', reasons: [...reasons] };
};

function resultOf(
  { configuration }: ManagementDeps,
  { value, warnings }: Good,
  outcome: FoundUser | PlacedUser,
): Result {
  const { username } = value;
  const operator = scopeOfAdministrator(configuration(), { kind: 'user', username }).length > 0;
  const base = { ...emptyResult(username), operator, notes: [...warnings] };
  if (outcome.kind === 'refused') return { ...base, outcome: 'refused', reasons: [outcome.words] };
  if (outcome.kind !== 'placed') return { ...base, outcome: outcome.kind };
  const { outcome: done, sub, username: stored, changed, disabled, notes = [] } = outcome;
  return {
    ...base,
    outcome: done,
    sub,
    username: stored,
    changed: [...changed],
    disabled,
    notes: [...warnings, ...notes],
  };
}
