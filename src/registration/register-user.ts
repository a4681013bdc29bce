/** Stores the record of an end-user as a row. Idempotent: the same record again ends no session. */
import { isDeepStrictEqual } from 'node:util';
import { describeRecordProblem } from '../config/problem.ts';
import { hashPassword, matchesPassword } from '../crypto/password.ts';
import type { PasswordHash } from '../crypto/secret-types.ts';
import { findUserForSignIn } from '../storage/users.ts';
import { administerUser, requireDone } from './administration.ts';
import { problem } from './record-problem.ts';
import type { RegistrationDeps } from './register-client.ts';
import type { UserRecord } from './user-record.ts';

type Deps = Omit<RegistrationDeps, 'keys'>;

export type UserPlan = {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** The `sub` of every token: random, never the username. */
  readonly id: string;
  /** As stored, if the user exists already. */
  readonly username: string;
  /** Null: stays as it is. A new password ends every session and grant of the user. */
  readonly passwordHash: PasswordHash | null;
  readonly claims: UserRecord['claims'];
  readonly changed: readonly ('password' | 'claims')[];
  readonly disabled: boolean;
};

/** A new user needs a password. */
export class PasswordMissing extends Error {
  constructor() {
    super(describeRecordProblem(problem('password', 'nothing', '1 to 1024 characters for a new user')));
    this.name = 'PasswordMissing';
  }
}

/** What `registerUser` would do. Changes nothing. @throws PasswordMissing */
export async function planUser({ db, random }: Deps, { username, password, claims }: UserRecord): Promise<UserPlan> {
  const stored = await findUserForSignIn(db, username);
  if (!stored) {
    if (password === null) throw new PasswordMissing();
    const passwordHash = await hashPassword(password);
    return { outcome: 'created', id: random.uuid(), username, passwordHash, claims, changed: [], disabled: false };
  }
  // A new hash of the same password would end every session without need.
  const replaces = password !== null && !(await matchesPassword(stored.passwordHash, password));
  const passwordHash = replaces ? await hashPassword(password) : null;
  const changed: UserPlan['changed'] = [
    ...(passwordHash ? (['password'] as const) : []),
    ...(isDeepStrictEqual(stored.claims, claims) ? [] : (['claims'] as const)),
  ];
  return {
    outcome: changed.length > 0 ? 'updated' : 'unchanged',
    id: stored.id,
    username: stored.username,
    passwordHash,
    claims,
    changed,
    disabled: stored.disabledAt !== null,
  };
}

/** @throws PasswordMissing */
export async function registerUser(deps: Deps, record: UserRecord): Promise<UserPlan> {
  const plan = await planUser(deps, record);
  await applyUserPlan(deps, plan);
  return plan;
}

/** @throws PasswordMissing, ChangeRefused when another process has registered the same username meanwhile: repeating it updates that end-user. */
export async function applyUserPlan(deps: Omit<Deps, 'random'>, plan: UserPlan): Promise<void> {
  const { outcome, id, username, passwordHash, claims } = plan;
  if (outcome === 'unchanged') return;
  if (outcome === 'created' && passwordHash === null) throw new PasswordMissing();
  const change = { type: 'registrationRequested', registration: { username, passwordHash, claims } } as const;
  requireDone(await administerUser(deps, { id, change }));
}
