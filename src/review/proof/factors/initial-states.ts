/** Where every exploration of factors begins. */
import { type Passkey, SET_UP_SECONDS, type SecondFactor } from '../../../model/factors.ts';
import { newSession, USER } from '../sign-ins/initial-states.ts';
import type { InitialState } from '../walk.ts';
import type { Stored, StoredFactorSession, Terms } from './terms.ts';

const STEP_MILLISECONDS = 30_000;
/** Milliseconds since 1970; the initial state of a time step, and any would do. */
export const BEGAN_AT = Date.UTC(2030, 0, 1);
export const stepAt = (milliseconds: number): number => Math.floor(milliseconds / STEP_MILLISECONDS);
export const THIS_STEP = stepAt(BEGAN_AT);

const YESTERDAY = new Date(BEGAN_AT - 86_400_000);

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
/** It is over before the code of now is. */
const SET_UP_IS_LEFT_MILLISECONDS = 20_000;
const setUp = app({
  state: 'unconfirmed',
  lastStep: null,
  confirmedAt: null,
  createdAt: new Date(BEGAN_AT + SET_UP_IS_LEFT_MILLISECONDS - SET_UP_SECONDS * 1000),
});

const bytes = (text: string) => new TextEncoder().encode(text);
export const passkey = (id: string, change: Partial<Passkey> = {}): Passkey => ({
  id,
  userId: USER,
  state: 'active',
  name: 'Passkey',
  credentialId: bytes('the credential'),
  publicKey: bytes('the public key'),
  counter: 3,
  backupEligible: false,
  transports: [],
  createdAt: YESTERDAY,
  lastUsedAt: null,
  removedAt: null,
  ...change,
});

export const code = (id: string, made: number): Stored['codes'][number] => ({
  id,
  userId: USER,
  state: 'active',
  endedAt: null,
  made,
});

/** The password was right just now. */
const awaiting = (serial: number): StoredFactorSession => ({
  ...newSession(serial, USER, new Date(BEGAN_AT), { userEpoch: 0n, serverEpoch: 0n }, 'awaitingSecondFactor'),
  needsFactor: true,
});

const NOTHING: Stored = {
  apps: [],
  passkeys: [],
  codes: [],
  sessions: [],
  userIsDisabled: false,
  hasPassword: true,
  isDemanded: false,
};

const initialState = (says: string, stored: Partial<Stored>): InitialState<Terms> => ({
  says: `${says}.`,
  now: BEGAN_AT,
  stored: { ...NOTHING, ...stored },
  known: { accepted: [] },
});

export const INITIAL_STATES: readonly InitialState<Terms>[] = [
  initialState('In two browsers the password was right, and a code of the app is missing', {
    apps: [app()],
    sessions: [awaiting(1), awaiting(2)],
  }),
  initialState('In two browsers the password was right, and the app is lost', {
    apps: [app({ lastStep: THIS_STEP })],
    codes: [code('a recovery code', 1)],
    sessions: [awaiting(1), awaiting(2)],
  }),
  initialState('An end-user sets up an app, and has no factor yet', { apps: [setUp] }),
  initialState('An end-user sets up an app, which the policy demands', {
    apps: [setUp],
    sessions: [awaiting(1)],
    isDemanded: true,
  }),
  initialState('An end-user has a passkey and an app, and the policy demands a factor', {
    apps: [app({ lastStep: THIS_STEP })],
    passkeys: [passkey('the passkey')],
    isDemanded: true,
  }),
  initialState('An end-user has a passkey', { passkeys: [passkey('the passkey')] }),
  initialState('An end-user without a password has two passkeys', {
    passkeys: [passkey('the passkey'), passkey('the other passkey', { credentialId: bytes('the other credential') })],
    hasPassword: false,
  }),
];
