/** Stores the record of an end-user as a row. Idempotent: the same record again ends no session. */
import { isDeepStrictEqual } from 'node:util';
import { describeRecordProblem } from '../config/problem.ts';
import { hashPassword, importedHashOf, matchesPassword } from '../crypto/password.ts';
import type { Random } from '../crypto/random.ts';
import type { ImportedHash, PasswordHash, RawSecret } from '../crypto/secret-types.ts';
import type { UserRow } from '../lifecycles/user/lifecycle.ts';
import { NO_PASSWORD, type RegisteredUser, subOf } from '../model/user.ts';
import { placedSub } from '../oauth/sub.ts';
import { findUsersNamed, takenSubs } from '../storage/users.ts';
import { administerUser, requireDone, type UserAdministrationDeps } from './administration.ts';
import type { ImportedUser } from './imported-user.ts';
import { problem } from './record-problem.ts';
import type { UserRecord } from './user-record.ts';

type Deps = UserAdministrationDeps & { readonly random: Random };

export type UserPlan = {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  readonly id: string;
  /** Of another system, where it is not the `id`; null: the `id` is the `sub`. */
  readonly sub: string | null;
  /** As stored, if the user exists already. */
  readonly username: string;
  /** Null: stays as it is. A new password ends every session and grant of the user. */
  readonly passwordHash: PasswordHash | null;
  /** Of `passwordHash`, where another system made it. */
  readonly importedHash: ImportedHash | null;
  readonly claims: UserRecord['claims'];
  readonly changed: readonly ('password' | 'claims')[];
  readonly disabled: boolean;
  /** Of a new user whom another system has had before. */
  readonly createdAt?: Date;
};

/** A record of an import may say that a new user has no password, and since when there has been the account. */
export type PlannedRecord = UserRecord & Partial<Pick<ImportedUser, 'withoutPassword' | 'createdAt'>>;

/** A new user needs a password, or the hash of it. */
export class PasswordMissing extends Error {
  constructor() {
    super(describeRecordProblem(problem('password', 'nothing', '1 to 1024 characters for a new user')));
    this.name = 'PasswordMissing';
  }
}

/** A `sub` never changes, and no two end-users have had the same. */
export class SubRefused extends Error {
  constructor(found: string, allowed: string) {
    super(describeRecordProblem(problem('sub', found, allowed)));
    this.name = 'SubRefused';
  }

  static ofAnother(): SubRefused {
    return new SubRefused('another one than the end-user has', 'the stored one, which never changes, or none');
  }
}

/** Plans `registerUser`. Changes nothing. @throws PasswordMissing, SubRefused */
export async function planUser(deps: Deps, record: UserRecord): Promise<UserPlan> {
  const [stored = null] = await findUsersNamed(deps.db, [record.username]);
  return planFor(deps, record, { stored, taken: await takenSubs(deps.db, stored || !record.sub ? [] : [record.sub]) });
}

/** The end-user with the username; null: none. `taken`: those of the sent `sub`s that end-users have, or had. */
export type StoredFacts = { readonly stored: RegisteredUser | null; readonly taken: ReadonlySet<string> };

/** @throws SubRefused */
export function identityFor({ random }: Pick<Deps, 'random'>, sub: string | null, taken: ReadonlySet<string>) {
  if (sub !== null && taken.has(sub))
    throw new SubRefused('that of another or a deleted end-user, or a client_id', 'one that no end-user has had');
  return placedSub(sub, () => random.uuid());
}

/** @throws PasswordMissing, SubRefused */
export async function planFor(
  { random, passwordPepper = null }: Pick<Deps, 'random' | 'passwordPepper'>,
  record: PlannedRecord,
  { stored, taken }: StoredFacts,
): Promise<UserPlan> {
  const { username, password, claims, withoutPassword = false, createdAt = null } = record;
  const importedHash = record.passwordHash === null ? null : importedHashOf(record.passwordHash);
  if (stored === null) {
    const noPassword = withoutPassword ? NO_PASSWORD : null;
    const passwordHash = record.passwordHash ?? (password === null ? noPassword : await hashPassword(password));
    if (passwordHash === null) throw new PasswordMissing();
    const identity = identityFor({ random }, record.sub, taken);
    const plan = { ...identity, username, passwordHash, importedHash, claims, ...(createdAt && { createdAt }) };
    return { outcome: 'created', ...plan, changed: [], disabled: false };
  }
  if (record.sub !== null && record.sub !== subOf(stored)) throw SubRefused.ofAnother();
  const passwordHash = await newHash(record, stored, { importedHash, passwordPepper });
  const changed: UserPlan['changed'] = [
    ...(passwordHash ? (['password'] as const) : []),
    ...(isDeepStrictEqual(stored.claims, claims) ? [] : (['claims'] as const)),
  ];
  return {
    outcome: changed.length > 0 ? 'updated' : 'unchanged',
    id: stored.id,
    sub: stored.sub,
    username: stored.username,
    passwordHash,
    importedHash: passwordHash === null ? null : importedHash,
    claims,
    changed,
    disabled: stored.disabledAt !== null,
  };
}

/** A new hash of the same password would end every session without need. @returns null: the password stays. */
async function newHash(
  { password, passwordHash }: UserRecord,
  stored: RegisteredUser,
  { importedHash, passwordPepper }: { importedHash: ImportedHash | null; passwordPepper: RawSecret | null },
): Promise<PasswordHash | null> {
  if (passwordHash !== null)
    return passwordHash === stored.passwordHash || importedHash === stored.importedHash ? null : passwordHash;
  const replaces = password !== null && !(await matchesPassword(stored.passwordHash, password, passwordPepper));
  return replaces ? hashPassword(password) : null;
}

/** @throws PasswordMissing, SubRefused */
export async function registerUser(deps: Deps, record: UserRecord): Promise<UserPlan> {
  const plan = await planUser(deps, record);
  await applyUserPlan(deps, plan);
  return plan;
}

/** @throws PasswordMissing, ChangeRefused when another process has registered the same username meanwhile: repeating it updates that end-user. */
export async function applyUserPlan(deps: Omit<Deps, 'random'>, plan: UserPlan): Promise<void> {
  const { outcome, id, sub, username, passwordHash, importedHash, claims, createdAt } = plan;
  if (outcome === 'unchanged') return;
  if (outcome === 'created' && passwordHash === null) throw new PasswordMissing();
  const change = {
    type: 'registrationRequested',
    registration: { sub, username, passwordHash, importedHash, claims, ...(createdAt && { createdAt }) },
  } as const;
  // The `sub` of a deleted end-user, or of another one, is a row already.
  const expects = outcome === 'created' ? ({ user }: UserRow) => user === null : undefined;
  requireDone(await administerUser(deps, { id, change, ...(expects && { expects }) }));
}
