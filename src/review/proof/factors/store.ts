/** Factors, recovery codes and the sessions that they sign in, in memory, under the same contract as in Postgres (src/storage/factors.ts). */
import { type LoadedPasskey, unregistered } from '../../../lifecycles/passkey/lifecycle.ts';
import type { LoadedRecoveryCode } from '../../../lifecycles/recovery-code/lifecycle.ts';
import type { LoadedSecondFactor } from '../../../lifecycles/second-factor/lifecycle.ts';
import {
  begunState,
  type ProvenFactor,
  type SessionCommit,
  SINGLE_FACTOR,
} from '../../../lifecycles/session/lifecycle.ts';
import { sameBytes } from '../../../model/grant.ts';
import type { Session } from '../../../model/session.ts';
import { NO_PASSWORD } from '../../../model/user.ts';
import { BY_PASSWORD, byPasskey } from '../../../oauth/authentication-methods.ts';
import { carryOut, type LeftOut } from '../carry-out.ts';
import { newSession, SESSION_LIFETIMES, USER } from '../sign-ins/initial-states.ts';
import { code, passkey } from './initial-states.ts';
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

type Proving = Extract<SessionCommit, { kind: 'addFactor' }>;

/** Facts of the statements about sessions and new codes, which are no commits as values. */
export const PROVING = 'the factor stands';
export const NEW_CODES = 'no code is active';
const NOTHING: LeftOut = new Set();

/** Whether a session may be stored that was signed in with it. */
export function stands({ apps, passkeys, codes }: Stored, { kind, id }: ProvenFactor): boolean {
  const rows = { secondFactor: apps, passkey: passkeys, recoveryCode: codes }[kind];
  return rows.find((one) => one.id === id)?.state === (kind === 'recoveryCode' ? 'used' : 'active');
}

export const isAboutSession = (commit: Terms['commit']): commit is SessionCommit => 'kind' in commit;

/** @returns null when a fact did not hold: nothing changed. */
export function commitFactor(stored: Stored, commit: Terms['commit'], leftOut = NOTHING): Stored | null {
  if (isAboutSession(commit)) return commit.kind === 'addFactor' ? proven(stored, commit, leftOut) : null;
  const after = carryOut(tablesOf(stored), commit, leftOut);
  return after && { ...stored, apps: after.secondFactors, passkeys: after.passkeys, codes: after.recoveryCodes };
}

const tablesOf = ({ apps, passkeys, codes, userIsDisabled, hasPassword }: Stored) => ({
  secondFactors: apps,
  passkeys,
  recoveryCodes: codes,
  users: [
    {
      id: USER,
      disabledAt: userIsDisabled ? new Date(0) : null,
      passwordHash: hasPassword ? 'of a password' : NO_PASSWORD,
    },
  ],
  linkedIdentities: [],
});

function proven(stored: Stored, commit: Proving, leftOut: LeftOut): Stored | null {
  const { loaded, added } = commit;
  const row = stored.sessions.find(({ sid }) => sid === loaded.sid);
  if (row?.state !== loaded.state || !(leftOut.has(PROVING) || stands(stored, added.factor))) return null;
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
  leftOut = NOTHING,
): Stored | null {
  if (!(leftOut.has(PROVING) || stands(stored, factor))) return null;
  const fresh = newSession(stored.sessions.length + 1, USER, now, { userEpoch: 0n, serverEpoch: 0n });
  const session = { ...fresh, sid, amr: byPasskey(false), needsFactor: stored.isDemanded };
  return { ...stored, sessions: [...stored.sessions, session] };
}

/** @returns null: some are active. */
export const withNewCodes = (stored: Stored, leftOut = NOTHING): Stored | null => {
  if (!leftOut.has(NEW_CODES) && stored.codes.some(({ state }) => state === 'active')) return null;
  const made = Math.max(0, ...stored.codes.map((one) => one.made)) + 1;
  return { ...stored, codes: [...stored.codes, code(`a recovery code made later (${made})`, made)] };
};

export const hasActiveFactor = (stored: Stored): boolean => activeFactors(stored).length > 0;
