/** The model of factors: apps, passkeys and recovery codes of one end-user, and the sessions that they sign in. */
import type { WaysToSignIn } from '../../../../machines/shared/facts.ts';
import type { Commit } from '../../../engine/commit.ts';
import { sameBytes } from '../../../model/grant.ts';
import type { Session } from '../../../model/session.ts';
import { NO_PASSWORD, type RegisteredUser } from '../../../model/user.ts';
import { byPasskey } from '../../../oauth/authentication-methods.ts';
import { carryOut, type LeftOut, NOTHING_LEFT_OUT } from '../../../review/proof/carry-out.ts';
import { initialState } from '../../../review/proof/define-walk.ts';
import { hashOf } from '../../../review/proof/end-users.ts';
import { after, BEGAN_AT } from '../../../review/proof/instants.ts';
import type { Passkey } from '../../passkey/entity.ts';
import { type LoadedPasskey, unregistered } from '../../passkey/lifecycle.ts';
import type { RecoveryCode } from '../../recovery-code/entity.ts';
import type { LoadedRecoveryCode } from '../../recovery-code/lifecycle.ts';
import {
  begunState,
  type ProvenFactor,
  type SessionCommit,
  type SessionUse,
  SINGLE_FACTOR,
} from '../../session/lifecycle.ts';
import { newSession, SESSION_LIFETIMES, type StoredSession, USER } from '../../session/walk/stored-session.ts';
import { SET_UP_SECONDS, type SecondFactor } from '../entity.ts';
import type { FactorAnswer, LoadedSecondFactor } from '../lifecycle.ts';

export type Removal = 'removalRequested' | 'removalRequestedByAdministrator';
/** By the end-user: in a session in which only the password was right; under a policy that demands a factor. */
type ByEndUser = { readonly byPasswordAlone: boolean; readonly isDemanded: boolean };

/** The browser that sends a code or a signature, by the name of its session. */
type InBrowser = { readonly sid: string };

export type AboutApp = { readonly kind: 'app'; readonly id: string } & (
  | ({
      readonly type: 'presented' | 'confirmed';
      /** The time step of the code; null: a wrong code. */
      readonly step: number | null;
      readonly byPasswordAlone: boolean;
    } & InBrowser)
  | ({ readonly type: Removal } & ByEndUser)
);
export type AboutPasskey = { readonly kind: 'passkey'; readonly id: string } & (
  | ({
      readonly type: 'presented';
      /** Null: a signature of something else. */
      readonly counter: number | null;
    } & InBrowser)
  | ({ readonly type: 'registered'; readonly byPasswordAlone: boolean } & InBrowser)
  | ({ readonly type: Removal } & ByEndUser)
);
export type AboutCode = { readonly kind: 'code'; readonly id: string } & (
  | ({ readonly type: 'presented' } & InBrowser)
  | { readonly type: 'newCodesRequested' }
);
/** The accepted factor is added to the session of the browser that sent it. */
export type AboutSession = { readonly kind: 'session'; readonly sid: string; readonly factor: ProvenFactor };
export type Asked = AboutApp | AboutPasskey | AboutCode | AboutSession;

export type StoredFactorSession = StoredSession & {
  /** Account or policy demanded a factor at the sign-in. */
  readonly needsFactor: boolean;
};

export type Stored = {
  readonly secondFactors: readonly SecondFactor[];
  readonly passkeys: readonly Passkey[];
  /** Those that were made together have the same number. */
  readonly recoveryCodes: readonly (RecoveryCode & { readonly made: number })[];
  readonly users: readonly [Pick<RegisteredUser, 'id' | 'disabledAt' | 'passwordHash'>];
  readonly linkedIdentities: readonly [];
  readonly sessions: readonly StoredFactorSession[];
  /** The policy demands a second factor. */
  readonly isDemanded: boolean;
};

/** An accepted factor, as its browser received the answer. */
export type Accepted = {
  readonly sid: string;
  readonly factor: ProvenFactor;
  /** The time step, or the signature counter; null: there is none. */
  readonly number: number | null;
};

export type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded:
    | LoadedSecondFactor
    | LoadedPasskey
    | LoadedRecoveryCode
    | { readonly now: Date; readonly session: Session; readonly factorStands: boolean };
  readonly commit: Commit | SessionCommit;
  readonly answer: FactorAnswer | SessionUse;
  readonly known: { readonly accepted: readonly Accepted[] };
};

const STEP_MILLISECONDS = 30_000;
export const stepAt = (milliseconds: number): number => Math.floor(milliseconds / STEP_MILLISECONDS);
export const THIS_STEP = stepAt(BEGAN_AT);

const YESTERDAY = after(-86_400);

const app = (change: Partial<SecondFactor> = {}): SecondFactor => ({
  id: 'the app',
  userId: USER,
  state: 'active',
  sealedSecret: 'sealed',
  lastStep: THIS_STEP - 2,
  createdAt: YESTERDAY,
  confirmedAt: YESTERDAY,
  removedAt: null,
  ...change,
});
/** The set-up expires before the current code does. */
const SET_UP_IS_LEFT_SECONDS = 20;
const setUp = app({
  state: 'unconfirmed',
  lastStep: null,
  confirmedAt: null,
  createdAt: after(SET_UP_IS_LEFT_SECONDS - SET_UP_SECONDS),
});

const bytes = (text: string) => new TextEncoder().encode(text);
const PUBLIC_KEY = bytes('the public key');
export const passkey = (id: string, change: Partial<Passkey> = {}): Passkey => ({
  id,
  userId: USER,
  state: 'active',
  name: 'Passkey',
  credentialId: bytes('the credential'),
  publicKey: PUBLIC_KEY,
  counter: 3,
  backupEligible: false,
  transports: [],
  createdAt: YESTERDAY,
  lastUsedAt: null,
  removedAt: null,
  ...change,
});

const code = (id: string, made: number): Stored['recoveryCodes'][number] => ({
  id,
  userId: USER,
  state: 'active',
  endedAt: null,
  made,
});

/** The password was right just now. */
const awaiting = (serial: number): StoredFactorSession => ({
  ...newSession(serial, after(0)),
  state: 'awaitingSecondFactor',
  needsFactor: true,
});

const NOTHING: Stored = {
  secondFactors: [],
  passkeys: [],
  recoveryCodes: [],
  users: [{ id: USER, disabledAt: null, passwordHash: hashOf('of a password') }],
  linkedIdentities: [],
  sessions: [],
  isDemanded: false,
};

const given = (says: string, stored: Partial<Stored>) =>
  initialState<Terms>(says, { ...NOTHING, ...stored }, { accepted: [] });

export const INITIAL_STATES = [
  given('In two browsers the password was right, and a code of the app is missing', {
    secondFactors: [app()],
    sessions: [awaiting(1), awaiting(2)],
  }),
  given('In two browsers the password was right, and the app is lost', {
    secondFactors: [app({ lastStep: THIS_STEP })],
    recoveryCodes: [code('a recovery code', 1)],
    sessions: [awaiting(1), awaiting(2)],
  }),
  given('An end-user sets up an app, and has no factor yet', { secondFactors: [setUp] }),
  given('An end-user sets up an app, which the policy demands', {
    secondFactors: [setUp],
    sessions: [awaiting(1)],
    isDemanded: true,
  }),
  given('An end-user has a passkey and an app, and the policy demands a factor', {
    secondFactors: [app({ lastStep: THIS_STEP })],
    passkeys: [passkey('the passkey')],
    isDemanded: true,
  }),
  given('An end-user has a passkey', { passkeys: [passkey('the passkey')] }),
  given('An end-user without a password has two passkeys', {
    passkeys: [passkey('the passkey'), passkey('the other passkey', { credentialId: bytes('the other credential') })],
    users: [{ id: USER, disabledAt: null, passwordHash: NO_PASSWORD }],
  }),
];

// Under the same contract as in Postgres (src/storage/factors.ts).

export const isDisabled = ({ users: [user] }: Stored): boolean => user.disabledAt !== null;
export const hasPassword = ({ users: [user] }: Stored): boolean => user.passwordHash !== NO_PASSWORD;
const activeFactors = ({ secondFactors, passkeys }: Stored): readonly (SecondFactor | Passkey)[] =>
  [...secondFactors, ...passkeys].filter(({ state }) => state === 'active');
export const hasAnother = (stored: Stored, id: string): boolean =>
  activeFactors(stored).some((factor) => factor.id !== id);

/** The end-user's ways to sign in without this passkey. */
const otherWays = (stored: Stored, id: string): WaysToSignIn => ({
  password: hasPassword(stored),
  passkeys: stored.passkeys.filter((one) => one.id !== id && one.state === 'active').length,
  linkedIdentities: 0,
});

/** Whether the end-user can sign in without this passkey. */
export const hasAnotherWay = (stored: Stored, id: string): boolean =>
  hasPassword(stored) || stored.passkeys.some((one) => one.id !== id && one.state === 'active');

const asLoaded = (stored: Stored, session: StoredFactorSession): Session => ({
  ...session,
  liveUserEpoch: isDisabled(stored) ? null : 0n,
  liveServerEpoch: 0n,
});

function rowNamed<Row extends { readonly id: string }>(rows: readonly Row[], id: string): Row {
  const row = rows.find((one) => one.id === id);
  if (row === undefined) throw new Error(`There is no row ${id}.`);
  return row;
}

export function load(stored: Stored, asked: Asked, now: Date): Terms['loaded'] {
  const { secondFactors, recoveryCodes, passkeys, sessions } = stored;
  if (asked.kind === 'session') {
    const session = sessions.find(({ sid }) => sid === asked.sid);
    if (session === undefined) throw new Error(`There is no session ${asked.sid}.`);
    return { now, session: asLoaded(stored, session), factorStands: stands(stored, asked.factor) };
  }
  const { id } = asked;
  const {
    users: [user],
  } = stored;
  const around = { now, user, hasAnother: hasAnother(stored, id) };
  switch (asked.kind) {
    case 'app':
      return { ...around, factor: rowNamed(secondFactors, id) };
    case 'code':
      return { now, user, code: rowNamed(recoveryCodes, id) };
    case 'passkey': {
      const isNew = asked.type === 'registered';
      return {
        ...around,
        otherWays: otherWays(stored, id),
        passkey: isNew ? registering(passkeys, id, now) : rowNamed(passkeys, id),
      };
    }
  }
}

/** Of an authenticator that is registered already, its row. */
function registering(passkeys: Stored['passkeys'], id: string, now: Date): Passkey {
  const made = { ...passkey(id), publicKey: PUBLIC_KEY };
  return passkeys.find(({ credentialId }) => sameBytes(credentialId, made.credentialId)) ?? unregistered(made, now);
}

type Proving = Extract<SessionCommit, { kind: 'addFactor' }>;

/** Facts of the statements about sessions and new codes, which are no commits as values. */
export const PROVING = 'the factor stands';
export const NEW_CODES = 'no code is active';

/** Whether a session may be stored that was signed in with it. */
export function stands({ secondFactors, passkeys, recoveryCodes }: Stored, { kind, id }: ProvenFactor): boolean {
  const tables: Partial<Record<ProvenFactor['kind'], readonly { readonly id: string; readonly state: string }[]>> = {
    secondFactor: secondFactors,
    passkey: passkeys,
    recoveryCode: recoveryCodes,
  };
  return tables[kind]?.find((one) => one.id === id)?.state === (kind === 'recoveryCode' ? 'used' : 'active');
}

export const isAboutSession = (commit: Terms['commit']): commit is SessionCommit => 'kind' in commit;

/** @returns null when a fact did not hold: nothing changed. */
export function commitFactor(stored: Stored, commit: Terms['commit'], leftOut = NOTHING_LEFT_OUT): Stored | null {
  if (isAboutSession(commit)) return commit.kind === 'addFactor' ? proven(stored, commit, leftOut) : null;
  return carryOut(stored, commit, leftOut);
}

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
  const hasApp = stored.secondFactors.some(({ state }) => state === 'active');
  const hasPasskey = stored.passkeys.some(({ state }) => state === 'active');
  const needsFactor = isFactorDemanded || hasApp || hasPasskey;
  const session = { ...newSession(stored.sessions.length + 1, now), needsFactor };
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
  leftOut = NOTHING_LEFT_OUT,
): Stored | null {
  if (!(leftOut.has(PROVING) || stands(stored, factor))) return null;
  const fresh = newSession(stored.sessions.length + 1, now);
  const session = { ...fresh, sid, amr: byPasskey(false), needsFactor: stored.isDemanded };
  return { ...stored, sessions: [...stored.sessions, session] };
}

/** @returns null: some are active. */
export const withNewCodes = (stored: Stored, leftOut = NOTHING_LEFT_OUT): Stored | null => {
  if (!leftOut.has(NEW_CODES) && stored.recoveryCodes.some(({ state }) => state === 'active')) return null;
  const made = Math.max(0, ...stored.recoveryCodes.map((one) => one.made)) + 1;
  return { ...stored, recoveryCodes: [...stored.recoveryCodes, code(`a recovery code made later (${made})`, made)] };
};

export const hasActiveFactor = (stored: Stored): boolean => activeFactors(stored).length > 0;
