/** Where every exploration of external sign-ins begins. */

import type { ExternalSignIn } from '../../../model/external-sign-in.ts';
import type { LinkedIdentity } from '../../../model/linked-identity.ts';
import type { RegisteredUser, User } from '../../../model/user.ts';
import { drawn } from '../identities.ts';
import type { InitialState } from '../walk.ts';
import { PROVIDER, THERE, USERNAMES } from './store.ts';
import type { Stored, Terms } from './terms.ts';

/** Milliseconds since 1970; any instant would do. */
export const BEGAN_AT = Date.UTC(2030, 0, 1);
const LIFETIME_MILLISECONDS = 600_000;

const bytes = (text: string) => new TextEncoder().encode(text);
export const ITS_BROWSER = bytes('the browser that began');
export const ANOTHER_BROWSER = bytes('another browser');

const signIn = (id: string, laterMilliseconds: number, change: Partial<ExternalSignIn> = {}): ExternalSignIn => ({
  id,
  referenceHash: bytes(id),
  kind: 'upstream',
  purpose: 'signIn',
  provider: PROVIDER,
  browserHash: ITS_BROWSER,
  interactionId: 'the request of an app',
  sealedInteraction: null,
  wishes: {
    clientId: drawn('shop'),
    scope: [],
    loginHint: null,
    prompt: [],
    maxAgeSeconds: null,
    acrValues: [],
    requiredClass: null,
    uiLocales: [],
    destination: null,
  },
  sealedSecrets: null,
  state: 'awaiting',
  userId: null,
  amr: null,
  authenticatedAt: null,
  refusal: null,
  beganAt: new Date(BEGAN_AT - 2000 + laterMilliseconds),
  endsAt: new Date(BEGAN_AT - 2000 + laterMilliseconds + LIFETIME_MILLISECONDS),
  ...change,
});

const hashOf = (password: string) => password as User['passwordHash'];
const ALICE: RegisteredUser = {
  id: 'alice',
  username: 'alice',
  passwordHash: hashOf('the password'),
  importedHash: null,
  passwordByLinkAt: null,
  claims: {},
  epoch: 0n,
  disabledAt: null,
  deletedAt: null,
};
const BOB: RegisteredUser = { ...ALICE, id: 'bob', username: 'bob', passwordHash: hashOf('') };

/** Called as a newcomer would be. */
export const NAMESAKE: RegisteredUser = { ...ALICE, id: 'a namesake', username: USERNAMES[0] };

const identityOf = (userId: string, subject = THERE.subject): LinkedIdentity => ({
  ...THERE,
  subject,
  id: subject === THERE.subject ? `of ${userId}` : `another of ${userId}`,
  userId,
  provider: PROVIDER,
  linkedAt: new Date(BEGAN_AT - 10_000),
  state: 'active',
  removedAt: null,
  removedReason: null,
});

const initialState = (says: string, stored: Partial<Stored>): InitialState<Terms> => ({
  says: `${says}.`,
  now: BEGAN_AT,
  stored: { signIns: [], users: [ALICE], identities: [], registers: true, ...stored },
  known: { signedIn: [] },
});

const DELEGATED = { kind: 'delegated', provider: 'delegated' } as const;
const LINK = { purpose: 'link', userId: 'alice', interactionId: null } as const;

export const INITIAL_STATES: readonly InitialState<Terms>[] = [
  initialState('A browser was sent to a provider, with an account that nobody has here', {
    signIns: [signIn('first', 0)],
  }),
  initialState('Two tabs of a browser were sent there, one after the other', {
    signIns: [signIn('first', 0), signIn('second', 1000)],
  }),
  initialState('A browser was sent there, with the account of an end-user without a password', {
    signIns: [signIn('first', 0)],
    users: [ALICE, BOB],
    identities: [identityOf('bob')],
  }),
  initialState('A browser was sent there, with the account of an end-user with a password', {
    signIns: [signIn('first', 0)],
    identities: [identityOf('alice')],
  }),
  initialState('A browser was sent there, and the policy registers nobody', {
    signIns: [signIn('first', 0)],
    registers: false,
  }),
  initialState('An end-user without a password has linked two accounts', {
    users: [BOB],
    identities: [identityOf('bob'), identityOf('bob', 'bob elsewhere')],
  }),
  initialState('An end-user links the account, while a browser signs in with it', {
    signIns: [signIn('first', 0), signIn('link', 1000, LINK)],
  }),
  initialState('An end-user links an account that is linked to another', {
    signIns: [signIn('link', 0, LINK)],
    users: [ALICE, BOB],
    identities: [identityOf('bob')],
  }),
  initialState('A browser was sent to the application of the team', {
    signIns: [signIn('delegated first', 0, DELEGATED)],
  }),
  initialState('Two tabs of a browser were sent to the application of the team', {
    signIns: [signIn('delegated first', 0, DELEGATED), signIn('delegated second', 1000, DELEGATED)],
  }),
];
