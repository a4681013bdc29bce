/** Factors, recovery codes and the sessions that they sign in, in memory, under the same contract as in Postgres (src/storage/factors.ts). */
import { type LoadedPasskey, type PasskeyCommit, unregistered } from '../../../lifecycles/passkey.ts';
import type { LoadedRecoveryCode, RecoveryCodeCommit } from '../../../lifecycles/recovery-code.ts';
import type { LoadedSecondFactor, SecondFactorCommit } from '../../../lifecycles/second-factor.ts';
import { begunState, type ProvenFactor, type SessionCommit, SINGLE_FACTOR } from '../../../lifecycles/session.ts';
import { sameBytes } from '../../../model/grant.ts';
import type { Session } from '../../../model/session.ts';
import { BY_PASSWORD, byPasskey } from '../../../oauth/authentication-methods.ts';
import { put } from '../rows.ts';
import { newSession, SESSION_LIFETIMES, USER } from '../sign-ins/beginnings.ts';
import { code, passkey } from './beginnings.ts';
import type { Asked, Stored, StoredFactorSession, Terms } from './terms.ts';

type Factor = { readonly id: string; readonly state: string };

const activeFactors = ({ apps, passkeys }: Stored): readonly Factor[] =>
  [...apps, ...passkeys].filter(({ state }) => state === 'active');
export const hasAnother = (stored: Stored, id: string): boolean =>
  activeFactors(stored).some((factor) => factor.id !== id);

/** Whether the end-user can sign in without this passkey. */
export const hasAnotherWay = ({ hasPassword, passkeys }: Stored, id: string): boolean =>
  hasPassword || passkeys.some((one) => one.id !== id && one.state === 'active');

const asLoaded = ({ userIsDisabled }: Stored, session: StoredFactorSession): Session => ({
  ...session,
  liveUserEpoch: userIsDisabled ? null : 0n,
  liveServerEpoch: 0n,
});

const found = <Row>(row: Row | undefined): Row => {
  if (row === undefined) throw new Error('There is no such row.');
  return row;
};

export function load(stored: Stored, asked: Asked, now: Date): Terms['loaded'] {
  const { userIsDisabled: userEnded } = stored;
  if (asked.about === 'session') {
    const session = found(stored.sessions.find(({ sid }) => sid === asked.sid));
    return { now, session: asLoaded(stored, session), factorStands: stands(stored, asked.factor) };
  }
  const { id } = asked;
  const around = { now, userEnded, hasAnother: hasAnother(stored, id) };
  // Nobody in the walk has as many passkeys as there may be.
  const withRoom = { ...around, hasAnotherWay: hasAnotherWay(stored, id), isFull: false };
  if (asked.about === 'app')
    return { ...around, factor: found(stored.apps.find((one) => one.id === id)) } satisfies LoadedSecondFactor;
  if (asked.about === 'code')
    return { now, userEnded, code: found(stored.codes.find((one) => one.id === id)) } satisfies LoadedRecoveryCode;
  if (asked.type !== 'registered')
    return {
      ...withRoom,
      passkey: found(stored.passkeys.find((one) => one.id === id)),
    } satisfies LoadedPasskey;
  const made = passkey(id);
  const known = stored.passkeys.find(({ credentialId }) => sameBytes(credentialId, made.credentialId));
  const { publicKey, ...rest } = made;
  return {
    ...withRoom,
    passkey: known ?? unregistered({ ...rest, publicKey: found(publicKey ?? undefined) }, now),
  } satisfies LoadedPasskey;
}

type Guard<Commit> = Readonly<Record<string, (stored: Stored, commit: Commit) => boolean>>;

const othersHold = (stored: Stored, { others, loaded }: Pick<PasskeyCommit, 'others'> & { loaded: { id: string } }) =>
  others === 'any' || hasAnother(stored, loaded.id) === (others === 'some');

/** Every fact that each statement compares, by name, so that each can be left out to see what that would allow. */
export const APP_GUARD: Guard<SecondFactorCommit> = {
  stateIsLoaded: ({ apps }, { loaded }) => apps.some(({ id, state }) => id === loaded.id && state === loaded.state),
  stepIsLoaded: ({ apps }, { loaded }) =>
    apps.some(({ id, lastStep }) => id === loaded.id && lastStep === loaded.lastStep),
  othersHold,
};
export const PASSKEY_GUARD: Guard<PasskeyCommit> = {
  credentialIsNew: ({ passkeys }, { loaded }) =>
    loaded.state !== 'unregistered' ||
    passkeys.every(({ credentialId }) => !sameBytes(credentialId, loaded.credentialId)),
  userIsEnabled: ({ userIsDisabled }, { loaded }) => loaded.state !== 'unregistered' || !userIsDisabled,
  stateIsLoaded: ({ passkeys }, { loaded }) =>
    loaded.state === 'unregistered' || passkeys.some(({ id, state }) => id === loaded.id && state === loaded.state),
  counterIsLoaded: ({ passkeys }, { loaded }) =>
    loaded.state === 'unregistered' ||
    passkeys.some(({ id, counter }) => id === loaded.id && counter === loaded.counter),
  othersHold,
  keepsAWay: (stored, { loaded, needsAnotherWay }) => !needsAnotherWay || hasAnotherWay(stored, loaded.id),
};
export const CODE_GUARD: Guard<RecoveryCodeCommit> = {
  isActive: ({ codes }, { loaded }) => codes.some(({ id, state }) => id === loaded.id && state === 'active'),
};
type Proving = Extract<SessionCommit, { kind: 'addFactor' }>;
/** What else it asks of the session is in the walk of signing in (sign-ins/store.ts). */
export const PROVING_GUARD: Guard<Pick<Proving, 'added'>> = {
  factorStands: (stored, { added }) => stands(stored, added.factor),
};
/** Of the statement that stores new recovery codes. */
export const NEW_CODES_GUARD: Guard<null> = {
  noneIsActive: ({ codes }) => codes.every(({ state }) => state !== 'active'),
};

export const GUARDS = {
  app: APP_GUARD,
  passkey: PASSKEY_GUARD,
  code: CODE_GUARD,
  proving: PROVING_GUARD,
  newCodes: NEW_CODES_GUARD,
} as const;
export type Guards = typeof GUARDS;

const holds = <Commit>(guard: Guard<Commit>, stored: Stored, commit: Commit): boolean =>
  Object.values(guard).every((fact) => fact(stored, commit));

/** Whether a session may be stored that was signed in with it. */
export function stands({ apps, passkeys, codes }: Stored, { kind, id }: ProvenFactor): boolean {
  const rows = { secondFactor: apps, passkey: passkeys, recoveryCode: codes }[kind];
  return rows.find((one) => one.id === id)?.state === (kind === 'recoveryCode' ? 'used' : 'active');
}

export const isAboutSession = (commit: Terms['commit']): commit is SessionCommit => 'kind' in commit;
export const isAboutPasskey = (commit: Terms['commit']): commit is PasskeyCommit =>
  !isAboutSession(commit) && 'credentialId' in commit.loaded;
export const isAboutApp = (commit: Terms['commit']): commit is SecondFactorCommit =>
  !isAboutSession(commit) && 'lastStep' in commit.loaded;

/** @returns null when a guard did not hold: nothing changed. */
export function commitFactor(stored: Stored, commit: Terms['commit'], guards: Guards = GUARDS): Stored | null {
  if (isAboutSession(commit)) return commit.kind === 'addFactor' ? proven(stored, commit, guards) : null;
  if (isAboutPasskey(commit))
    return holds(guards.passkey, stored, commit) ? { ...stored, passkeys: put(stored.passkeys, commit.after) } : null;
  if (isAboutApp(commit))
    return holds(guards.app, stored, commit) ? { ...stored, apps: put(stored.apps, commit.after) } : null;
  if (!holds(guards.code, stored, commit)) return null;
  const { id, state, endedAt } = commit.after;
  return { ...stored, codes: stored.codes.map((one) => (one.id === id ? { ...one, state, endedAt } : one)) };
}

function proven(stored: Stored, commit: Proving, guards: Guards): Stored | null {
  const { loaded, added } = commit;
  const row = stored.sessions.find(({ sid }) => sid === loaded.sid);
  if (row?.state !== loaded.state || !holds(guards.proving, stored, commit)) return null;
  const { amr } = added;
  const after = { ...row, state: 'active' as const, amr };
  return { ...stored, sessions: stored.sessions.map((one) => (one === row ? after : one)) };
}

/** Username and password are right. */
export function signedInWithPassword(stored: Stored, now: Date): Stored {
  const { isDemanded: isFactorDemanded } = stored;
  const hasApp = stored.apps.some(({ state }) => state === 'active');
  const hasPasskey = stored.passkeys.some(({ state }) => state === 'active');
  const needsFactor = isFactorDemanded || hasApp || hasPasskey;
  const fresh = newSession(stored.sessions.length + 1, USER, now, { userEpoch: 0n, serverEpoch: 0n });
  const session = { ...fresh, amr: [...BY_PASSWORD], needsFactor };
  const state = begunState(asLoaded(stored, session), SESSION_LIFETIMES, {
    ...SINGLE_FACTOR,
    isFactorDemanded,
    hasApp,
    hasPasskey,
  });
  return { ...stored, sessions: [...stored.sessions, { ...session, state }] };
}

/** A signature was accepted, and the session is stored. @returns null: the passkey does not stand any more. */
export function signedInWithPasskey(
  stored: Stored,
  { sid, factor, now }: { readonly sid: string; readonly factor: ProvenFactor; readonly now: Date },
  guards: Guards = GUARDS,
): Stored | null {
  const idHash = new Uint8Array(32);
  if (!holds(guards.proving, stored, { added: { factor, amr: byPasskey(false), idHash } })) return null;
  const fresh = newSession(stored.sessions.length + 1, USER, now, { userEpoch: 0n, serverEpoch: 0n });
  const session = { ...fresh, sid, amr: byPasskey(false), needsFactor: stored.isDemanded };
  return { ...stored, sessions: [...stored.sessions, session] };
}

/** @returns null: some are active. */
export const withNewCodes = (stored: Stored, guards: Guards = GUARDS): Stored | null => {
  if (!holds(guards.newCodes, stored, null)) return null;
  const made = Math.max(0, ...stored.codes.map((one) => one.made)) + 1;
  return { ...stored, codes: [...stored.codes, code(`a recovery code made later (${made})`, made)] };
};

export const hasActiveFactor = (stored: Stored): boolean => activeFactors(stored).length > 0;
