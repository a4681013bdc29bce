/** Where every exploration of an interaction begins: what the client asked for, who is signed in, what was allowed before. */
import type { Client } from '../../../model/client.ts';
import type { Interaction } from '../../../model/interaction.ts';
import type { Lifetimes } from '../../../model/lifetimes.ts';
import { classNamed } from '../../../oauth/authentication-methods.ts';
import { WEB_CLIENT } from '../../../review/proof/clients.ts';
import { initialState } from '../../../review/proof/define-walk.ts';
import { drawnId } from '../../../review/proof/identities.ts';
import { after } from '../../../review/proof/instants.ts';
import { newSession, type StoredSession, USER } from '../../session/walk/stored-session.ts';
import type { SignIn, Terms } from './world.ts';

const minutes = (count: number) => after(count * 60);

const SIGNED_IN_MINUTES = -(12 * 60) + 25;
const INTERACTION_MINUTES = 30;

export const CODE_LIFETIMES: Lifetimes = {
  name: 'explored',
  accessTokenLifetimeSeconds: 900,
  authorizationCodeLifetimeSeconds: 60,
  refreshIdleLifetimeSeconds: 86_400,
  refreshAbsoluteLifetimeSeconds: 86_400,
};

export const OTHER_USER = 'user-b';
const SCOPE = ['openid', 'read'];
/** What takes a role that no end-user here has. */
export const ADMINISTRATION = 'administer';
const RESOURCES = ['https://api.example'];
/** Everything else is for every end-user to grant. */
export const grantableIn = ({ scope }: Pick<Interaction, 'scope'>): readonly string[] =>
  scope.filter((name) => name !== ADMINISTRATION);
const [REDIRECT_URI = ''] = WEB_CLIENT.redirectUris;
const LOOPBACK_URI = 'http://127.0.0.1/callback';

/** Any program on the machine could pose as it. */
const NATIVE_CLIENT: Client = {
  ...WEB_CLIENT,
  applicationType: 'native',
  tokenEndpointAuthMethod: 'none',
  redirectUris: [LOOPBACK_URI],
};

const INTERACTION: Interaction = {
  id: drawnId(),
  state: 'awaitingSignIn',
  browserHash: new Uint8Array(32),
  clientId: WEB_CLIENT.clientId,
  clientEpoch: 0n,
  redirectUri: REDIRECT_URI,
  codeChallenge: 'a challenge',
  scope: SCOPE,
  resources: RESOURCES,
  requestState: null,
  nonce: null,
  prompt: [],
  maxAgeSeconds: null,
  requiredClass: null,
  hintedUserId: null,
  loginHint: null,
  uiLocales: [],
  responseMode: 'query',
  userId: null,
  createdAt: minutes(0),
  endsAt: minutes(INTERACTION_MINUTES),
};

const sessionOf = (userId: string): StoredSession => ({
  ...newSession(1, minutes(SIGNED_IN_MINUTES), userId),
  lastUsedAt: minutes(0),
});

/** The password was right just now. */
const awaitingSessionOf = (userId: string): StoredSession => ({
  ...newSession(1, minutes(0), userId),
  state: 'awaitingSecondFactor',
});

const consentTo = (scope: readonly string[]): SignIn['consents'][number] => ({
  userId: USER,
  userEpoch: 0n,
  clientEpoch: 0n,
  scope,
  resources: RESOURCES,
  grantedAt: minutes(SIGNED_IN_MINUTES),
});

type Situation = {
  readonly says: string;
  readonly interaction?: Partial<Interaction>;
  readonly client?: Client;
  readonly signedIn?: string;
  readonly allowed?: readonly string[];
  /** Account or policy demand a second factor of every end-user. */
  readonly demandsFactor?: true;
  /** The browser's session awaits a second factor. */
  readonly awaits?: true;
};

const MULTI_FACTOR = classNamed('multi-factor');

const SITUATIONS: readonly Situation[] = [
  { says: 'nobody is signed in' },
  { says: 'the end-user is signed in', signedIn: USER },
  { says: 'the end-user is signed in and allowed as much before', signedIn: USER, allowed: SCOPE },
  { says: 'the end-user is signed in and allowed less before', signedIn: USER, allowed: ['read'] },
  {
    says: 'the end-user has been asked for consent',
    signedIn: USER,
    interaction: { state: 'awaitingConsent', userId: USER },
  },
  {
    says: 'the end-user has been asked for consent, and another is signed in since',
    signedIn: OTHER_USER,
    interaction: { state: 'awaitingConsent', userId: USER },
  },
  {
    says: 'the client wants nothing shown (prompt=none), and the end-user allowed as much before',
    signedIn: USER,
    allowed: SCOPE,
    interaction: { prompt: ['none'] },
  },
  {
    says: 'the client wants nothing shown (prompt=none), and the end-user has allowed nothing',
    signedIn: USER,
    interaction: { prompt: ['none'] },
  },
  {
    says: 'the client wants the end-user to sign in again (prompt=login)',
    signedIn: USER,
    allowed: SCOPE,
    interaction: { prompt: ['login'] },
  },
  {
    says: 'the client wants a sign-in within ten minutes (max_age)',
    signedIn: USER,
    allowed: SCOPE,
    interaction: { maxAgeSeconds: 600 },
  },
  {
    says: 'the client wants the end-user to be asked (prompt=consent)',
    signedIn: USER,
    allowed: SCOPE,
    interaction: { prompt: ['consent'] },
  },
  {
    says: 'the client wants the end-user to choose an account (prompt=select_account)',
    signedIn: USER,
    allowed: SCOPE,
    interaction: { prompt: ['select_account'] },
  },
  {
    says: 'the client wants the end-user to create an account (prompt=create)',
    signedIn: USER,
    allowed: SCOPE,
    interaction: { prompt: ['create'] },
  },
  {
    says: 'the client wants offline access, which the end-user allowed before',
    signedIn: USER,
    allowed: [...SCOPE, 'offline_access'],
    interaction: { scope: [...SCOPE, 'offline_access'] },
  },
  {
    says: 'any program could pose as the client, and the end-user allowed as much before',
    signedIn: USER,
    allowed: SCOPE,
    client: NATIVE_CLIENT,
    interaction: { redirectUri: LOOPBACK_URI },
  },
  {
    says: 'the client asks for administration alone, and the end-user who is signed in has no role in it',
    signedIn: USER,
    interaction: { scope: [ADMINISTRATION] },
  },
  {
    says: 'the client asks for administration alone, and the end-user lost the role since being asked',
    signedIn: USER,
    interaction: { scope: [ADMINISTRATION], state: 'awaitingConsent', userId: USER },
  },
  {
    says: 'the client asks for administration too, and the end-user, who has no role in it, allowed the rest before',
    signedIn: USER,
    allowed: SCOPE,
    interaction: { scope: [...SCOPE, ADMINISTRATION] },
  },
  {
    says: 'the client names the end-user (id_token_hint), and another is signed in',
    signedIn: OTHER_USER,
    allowed: SCOPE,
    interaction: { hintedUserId: USER },
  },
  { says: 'every end-user has a second factor', demandsFactor: true },
  {
    says: 'the password of the end-user was right, and the second factor is missing',
    signedIn: USER,
    awaits: true,
    demandsFactor: true,
    allowed: SCOPE,
  },
  {
    says: 'the client wants two factors, and the end-user, who allowed as much before, is signed in with a password',
    signedIn: USER,
    allowed: SCOPE,
    interaction: { requiredClass: MULTI_FACTOR },
  },
  {
    says: 'the client wants two factors and nothing shown (prompt=none), and the end-user is signed in with a password',
    signedIn: USER,
    allowed: SCOPE,
    interaction: { requiredClass: MULTI_FACTOR, prompt: ['none'] },
  },
  {
    says: 'the client wants two factors of the end-user who has been asked for consent, and is signed in with a password',
    signedIn: USER,
    interaction: { requiredClass: MULTI_FACTOR, state: 'awaitingConsent', userId: USER },
  },
];

export const INITIAL_STATES = SITUATIONS.map(
  ({ says, interaction, client = WEB_CLIENT, signedIn, allowed, awaits, demandsFactor = false }) => {
    const stored: SignIn = {
      interaction: { ...INTERACTION, ...interaction },
      // The end-user was asked, so it was stored then.
      isStored: interaction?.state !== undefined,
      client,
      users: [USER, OTHER_USER].map((id) => ({ id, epoch: 0n, isDisabled: false })),
      sessions: signedIn === undefined ? [] : [awaits ? awaitingSessionOf(signedIn) : sessionOf(signedIn)],
      demandsFactor,
      consents: allowed ? [consentTo(allowed)] : [],
      serverEpoch: 0n,
      grants: [],
    };
    const bound = stored.interaction.userId;
    return initialState<Terms>(`A client sends a browser to be signed in: ${says}`, stored, {
      askedForConsent: bound === null ? [] : [bound],
      ended: [],
    });
  },
);
