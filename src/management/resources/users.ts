/** End-users, as a list and each by itself. */

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { hashPassword, importedHashOf, matchesPassword } from '../../crypto/password.ts';
import type { UserChange, UserRegistration, UserRow } from '../../lifecycles/user/lifecycle.ts';
import { NO_PASSWORD, type RegisteredUser, subOf } from '../../model/user.ts';
import { isSubText, placedSub, SUB } from '../../oauth/sub.ts';
import { serviceNames } from '../../people/passwords/rules.ts';
import { administerUser, requireDone } from '../../registration/administration.ts';
import { judgeUserRecord, type UserRecord } from '../../registration/user-record.ts';
import { findUserFacts } from '../../storage/user-list.ts';
import { userStore } from '../../storage/user-store.ts';
import { knownUsernameKeys, takenSubs } from '../../storage/users.ts';
import { conditionNeeded, orRejected, rejected } from '../administration.ts';
import type { ManagementDeps } from '../deps.ts';
import { fieldsOf, withFields } from '../fields.ts';
import { GONE_SINCE } from '../idempotency.ts';
import { mergePatch } from '../merge-patch.ts';
import { fieldProblems, notFound, type Problem, refusedField, refusedFields } from '../problem.ts';
import {
  type Answer,
  created,
  done,
  found,
  type ManagementRequest,
  methodOfCollection,
  resource,
} from '../resource.ts';
import { checked } from '../sent.ts';
import {
  fieldOf,
  otherSub,
  recordIn,
  type SentUser,
  shownUser,
  userAddress,
  userBody,
  userDocument,
  userFacts,
  userPatch,
  userShape,
} from './user-record.ts';

export const sub = z
  .string()
  .regex(SUB)
  .refine(isSubText)
  .describe('The `sub` of every token about this end-user. The id in the addresses of the API is accepted too.');

const EXAMPLE = {
  username: 'ada',
  password: 'correct horse battery staple',
  claims: { name: 'Ada Lovelace', email: 'ada@example.com' },
};

type Request<Body> = ManagementRequest<{ sub: string }, unknown, Body>;

export const user = resource('/users/{sub}', 'an end-user', { sub }, (method) => ({
  GET: method({
    summary: 'One end-user; the password is never shown.',
    query: z.strictObject({ fields: fieldsOf(userShape) }),
    answer: userShape,
    run: async (deps, { params: { sub: id }, query: { fields } }) => {
      const stored = await findUser(deps, id);
      return stored ? foundUser(deps, stored, fields) : notFound('end-user');
    },
  }),
  PUT: method({
    summary:
      'Replaces username and claims, and the password where it is sent. A new password ends every session and grant.',
    body: userBody,
    example: { username: 'ada', claims: EXAMPLE.claims },
    answer: userShape,
    ifMatch: 'whenChanging',
    rejects: ['username_taken', 'address_taken'],
    run: async (deps, request) => {
      const stored = await findUser(deps, request.params.sub);
      return stored ? change(deps, request, stored, request.body) : notFound('end-user');
    },
  }),
  PATCH: method({
    summary: 'Changes some members (RFC 7396): `disabled`, `username`, `claims`, `password`.',
    body: userPatch,
    patches: userBody,
    example: { disabled: true },
    answer: userShape,
    ifMatch: 'required',
    rejects: ['username_taken', 'address_taken'],
    run: async (deps, request) => {
      const stored = await findUser(deps, request.params.sub);
      if (!stored) return notFound('end-user');
      const merged = checked(userBody, mergePatch(userDocument(deps.issuer, stored), request.sent), 'invalid_fields');
      return merged.kind === 'problem' ? merged : change(deps, request, stored, merged.value);
    },
  }),
  DELETE: method({
    summary:
      'Erases username, password and claims, and ends every session and grant permanently. No other end-user gets the `sub`.',
    ifMatch: 'optional',
    run: async (deps, { params: { sub: id }, actor, precondition: { isSeen } }) => {
      const outcome = await administerUser(
        { db: deps.db, clock: deps.clock, macs: deps.macs, actor },
        { id, change: { type: 'deletionRequested' }, ...(isSeen && { expects: seenIn(deps, isSeen) }) },
      );
      return outcome.kind === 'rejected' ? rejected(outcome.reason) : done;
    },
  }),
}));

/** `POST`, beside the list. */
export const userRegistration = methodOfCollection({
  summary:
    'Registers an end-user. Without `password` and `password_hash`, they sign in by other ways of the policy: a mailed code or link, an identity provider, or a passkey.',
  body: userBody,
  example: EXAMPLE,
  answer: userShape,
  creates: true,
  rejects: ['username_taken', 'address_taken', 'changed_meanwhile'],
  run: register,
});

async function register(
  deps: ManagementDeps,
  { body, makes, actor }: ManagementRequest<object, unknown, SentUser>,
): Promise<Answer> {
  const read = await recordOf(deps, body);
  if ('kind' in read) return read;
  const made = makes.uuid();
  const { id, sub } = placedSub(body.sub ?? null, () => made);
  if (body.disabled === true) return NOT_DISABLED_AT_FIRST;
  const { username, claims } = read;
  const isWithout = read.password === null && read.passwordHash === null;
  if (body.has_password === isWithout) return otherPassword(!isWithout);
  const before = makes.isRepeated ? await findUser(deps, id) : null;
  if (before) return createdUser(deps, before);
  if (makes.wasCarriedOut) return GONE_SINCE;
  if (body.sub !== undefined && (await takenSubs(deps.db, [body.sub])).size > 0) {
    // As for a record that is registered a second time.
    const isKnown = (await knownUsernameKeys(deps.db, [username])).length > 0;
    return isKnown ? rejected('username_taken') : SUB_IS_TAKEN;
  }
  const password = isWithout ? { passwordHash: NO_PASSWORD } : await passwordIn(read);
  const registration = { username, sub, claims, ...password };
  return orRejected(
    async () => {
      const { user: stored } = requireDone(
        await administerUser(
          { db: deps.db, clock: deps.clock, macs: deps.macs, actor },
          { id, change: { type: 'registrationRequested', registration }, expects: ({ user: now }) => now === null },
        ),
      );
      return createdUser(deps, stored);
    },
    async () => {
      // An id that was sent may be that of another end-user.
      const meanwhile = body.sub === undefined ? await findUser(deps, id) : null;
      return meanwhile ? createdUser(deps, meanwhile) : rejected('changed_meanwhile');
    },
  );
}

/** At most two changes, each a decision of its own, in one commit: the record first, then whether the end-user may sign in. */
async function change(
  deps: ManagementDeps,
  { precondition: { isSeen, onlyNew }, actor }: Request<unknown>,
  stored: RegisteredUser,
  sent: SentUser,
): Promise<Answer> {
  const shown = userDocument(deps.issuer, stored);
  if (onlyNew || (isSeen && !isSeen(shown))) return rejected('changed_meanwhile');
  if (sent.sub !== undefined && sent.sub !== subOf(stored)) return refusedFields([otherSub(subOf(stored))]);
  const read = await recordOf(deps, sent);
  if ('kind' in read) return read;
  const hasPassword = stored.passwordHash !== NO_PASSWORD;
  const setsPassword = read.password !== null || read.passwordHash !== null;
  if (sent.has_password !== undefined && sent.has_password !== (hasPassword || setsPassword))
    return otherPassword(hasPassword || setsPassword);
  const {
    fields,
    changes: [first, next],
  } = await changesOf(deps, stored, read, sent);
  if (first === undefined) return foundUser(deps, stored);
  if (!isSeen) return conditionNeeded(fields);
  const who = { db: deps.db, clock: deps.clock, macs: deps.macs, actor };
  return orRejected(async () => {
    const asked = { id: stored.id, change: first, next, expects: seenIn(deps, isSeen) };
    const { user: after } = requireDone(await administerUser(who, asked));
    return foundUser(deps, after);
  });
}

async function changesOf(
  deps: ManagementDeps,
  stored: RegisteredUser,
  read: UserRecord,
  sent: SentUser,
): Promise<{ readonly fields: readonly string[]; readonly changes: readonly UserChange[] }> {
  const { username, claims } = read;
  const isOther = await isOtherPassword(deps, stored, read);
  const registration = { username, claims, ...(isOther ? await passwordIn(read) : { passwordHash: null }) };
  const isDisabled = stored.disabledAt !== null;
  const wanted = sent.disabled ?? isDisabled;
  const differing = [
    ...(username === stored.username ? [] : ['username']),
    ...(isOther ? ['password'] : []),
    ...(isDeepStrictEqual(claims, stored.claims) ? [] : ['claims']),
  ];
  const others = wanted === isDisabled ? [] : ['disabled'];
  return {
    fields: [...differing, ...others],
    changes: [
      ...differing.slice(0, 1).map(() => ({ type: 'registrationRequested', registration }) as const),
      ...others.map(() => ({ type: wanted ? 'disableRequested' : 'enableRequested' }) as const),
    ],
  };
}

/** False for an imported hash that the server stored before, also after a change of the password. */
async function isOtherPassword(
  { passwordPepper = null }: ManagementDeps,
  stored: RegisteredUser,
  { password, passwordHash }: UserRecord,
): Promise<boolean> {
  if (passwordHash !== null)
    return passwordHash !== stored.passwordHash && importedHashOf(passwordHash) !== stored.importedHash;
  return password !== null && !(await matchesPassword(stored.passwordHash, password, passwordPepper));
}

async function passwordIn({
  password,
  passwordHash,
}: UserRecord): Promise<Pick<UserRegistration, 'passwordHash' | 'importedHash'>> {
  if (passwordHash !== null) return { passwordHash, importedHash: importedHashOf(passwordHash) };
  return { passwordHash: password === null ? null : await hashPassword(password) };
}

const seenIn =
  ({ issuer }: ManagementDeps, isSeen: (representation: object) => boolean) =>
  ({ user: now }: UserRow): boolean =>
    now !== null && now.deletedAt === null && isSeen(userDocument(issuer, now));

async function recordOf(
  { issuer, production, configuration, isBreached, passwordPepper = null }: ManagementDeps,
  sent: SentUser,
): Promise<UserRecord | Problem> {
  const { signIn: policy, branding } = configuration();
  const service = serviceNames(issuer, branding.organization);
  const hashes = { fast: policy.importFastHashes, peppered: passwordPepper !== null };
  const reading = await judgeUserRecord(recordIn(sent), production, { policy, service, isBreached, hashes });
  if (reading.ok) return reading.value;
  return fieldProblems(
    'invalid_fields',
    reading.problems.map(({ key, ...rest }) => ({ key: fieldOf(key), ...rest })),
  );
}

export async function findUser({ db, clock, macs }: ManagementDeps, id: string): Promise<RegisteredUser | null> {
  const { row } = await userStore(db, clock, macs).load(id, null);
  return row.user?.deletedAt === null ? row.user : null;
}

async function foundUser(deps: ManagementDeps, stored: RegisteredUser, fields?: string): Promise<Answer> {
  const facts = await findUserFacts(deps.db, stored.id);
  if (facts === null) return notFound('end-user');
  const [record, shown] = [userDocument(deps.issuer, stored), userFacts(facts)];
  return found(withFields(shownUser(record, shown), fields), record, shown);
}

async function createdUser(deps: ManagementDeps, stored: RegisteredUser): Promise<Answer> {
  const facts = await findUserFacts(deps.db, stored.id);
  if (facts === null) return GONE_SINCE;
  const [record, shown] = [userDocument(deps.issuer, stored), userFacts(facts)];
  return created(shownUser(record, shown), userAddress(deps.issuer, stored.id), record, shown);
}

const otherPassword = (isThere: boolean): Problem =>
  refusedField('has_password', `Expected ${isThere}: this field is read-only. \`password\` sets a password.`);
const SUB_IS_TAKEN = refusedField(
  'sub',
  'Expected a "sub" that no end-user has or had before a deletion, and no client_id.',
);
const NOT_DISABLED_AT_FIRST = refusedField(
  'disabled',
  'Expected false: register the end-user first, then disable them.',
);
