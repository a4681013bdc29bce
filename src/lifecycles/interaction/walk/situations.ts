/** The initial states of an interaction: the requested parameters, the signed-in end-user, and the earlier approvals. */
import type { Client } from '../../../model/client.ts';
import type { Interaction } from '../../../model/interaction.ts';
import type { Lifetimes } from '../../../model/lifetimes.ts';
import { classNamed } from '../../../oauth/authentication-methods.ts';
import { WEB_CLIENT } from '../../../review/proof/clients.ts';
import { initialState } from '../../../review/proof/define-walk.ts';
import { drawnId } from '../../../review/proof/identities.ts';
import { after } from '../../../review/proof/instants.ts';
import type { PushedRequest } from '../../pushed-request/entity.ts';
import { newSession, type StoredSession, USER } from '../../session/walk/stored-session.ts';
import type { SignIn, Terms } from './ports.ts';

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
/** A scope that takes a role which no end-user here has. */
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
  dpopJkt: null,
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

/** Its link has ended: an interaction that began in time goes by its own end. */
const PUSHED: PushedRequest = {
  id: INTERACTION.id,
  clientId: WEB_CLIENT.clientId,
  handleHash: new Uint8Array(32),
  sealed: 'the parameters',
  state: 'pushed',
  createdAt: minutes(-1),
  endsAt: minutes(0),
};

type Situation = {
  readonly signedIn?: string;
  readonly allowed?: readonly string[];
  readonly client?: Client;
  /** Account or policy demand a second factor of every end-user. */
  readonly demandsFactor?: boolean;
  /** The browser's session awaits a second factor. */
  readonly awaits?: boolean;
  /** The client pushed the request. */
  readonly pushed?: PushedRequest;
};
const SIGNED_IN: Situation = { signedIn: USER };
/** And allowed as much before. */
const ALLOWED: Situation = { signedIn: USER, allowed: SCOPE };
const ANOTHER: Situation = { signedIn: OTHER_USER };
const ASKED: Partial<Interaction> = { state: 'awaitingConsent', userId: USER };
const SILENT: Partial<Interaction> = { prompt: ['none'] };
const MULTI_FACTOR: Partial<Interaction> = { requiredClass: classNamed('multi-factor') };
const OFFLINE = [...SCOPE, 'offline_access'];
/** An operator registered it as the team's own. */
export const OWN_CLIENT: Client = { ...WEB_CLIENT, clientName: 'A client of the team', consent: 'skip' };
const OWN: Situation = { ...SIGNED_IN, client: OWN_CLIENT };

function given(
  says: string,
  { client = WEB_CLIENT, signedIn, allowed, awaits, demandsFactor = false, pushed }: Situation = {},
  interaction: Partial<Interaction> = {},
) {
  const stored: SignIn = {
    interaction: { ...INTERACTION, ...interaction },
    // The end-user was asked, so it was stored then.
    isStored: interaction.state !== undefined,
    pushed: pushed ?? null,
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
}

export const INITIAL_STATES = [
  given('no end-user is signed in'),
  given('the end-user is signed in', SIGNED_IN),
  given('the end-user is signed in and allowed as much before', ALLOWED),
  given('the end-user is signed in and allowed less before', { ...SIGNED_IN, allowed: ['read'] }),
  given('the end-user has been asked for consent', SIGNED_IN, ASKED),
  given('the end-user has been asked for consent, and another is signed in since', ANOTHER, ASKED),
  given('the client wants nothing shown (prompt=none), and the end-user allowed as much before', ALLOWED, SILENT),
  given('the client wants nothing shown (prompt=none), and the end-user has allowed nothing', SIGNED_IN, SILENT),
  given('the client wants the end-user to sign in again (prompt=login)', ALLOWED, { prompt: ['login'] }),
  given('the client wants a sign-in within ten minutes (max_age)', ALLOWED, { maxAgeSeconds: 600 }),
  given('the client wants the end-user to be asked (prompt=consent)', ALLOWED, { prompt: ['consent'] }),
  given('the client wants the end-user to choose an account (prompt=select_account)', ALLOWED, {
    prompt: ['select_account'],
  }),
  given('the client wants the end-user to create an account (prompt=create)', ALLOWED, { prompt: ['create'] }),
  given(
    'the client wants offline access, which the end-user allowed before',
    { ...SIGNED_IN, allowed: OFFLINE },
    { scope: OFFLINE },
  ),
  given(
    'any program could pose as the client, and the end-user allowed as much before',
    { ...ALLOWED, client: NATIVE_CLIENT },
    { redirectUri: LOOPBACK_URI },
  ),
  given('the client is the team’s own', OWN),
  given('the client is the team’s own, and no end-user is signed in', { client: OWN_CLIENT }),
  given('the client is the team’s own, and wants nothing shown and offline access', OWN, { ...SILENT, scope: OFFLINE }),
  given('the client is the team’s own, and wants the end-user to be asked (prompt=consent)', OWN, {
    prompt: ['consent'],
  }),
  given(
    'the client is the team’s own, and any program could pose as it',
    { ...OWN, client: { ...NATIVE_CLIENT, consent: 'skip' } },
    { redirectUri: LOOPBACK_URI },
  ),
  given('the client asks for administration alone, and the end-user who is signed in has no role in it', SIGNED_IN, {
    scope: [ADMINISTRATION],
  }),
  given('the client asks for administration alone, and the end-user lost the role since being asked', SIGNED_IN, {
    ...ASKED,
    scope: [ADMINISTRATION],
  }),
  given(
    'the client asks for administration too, and the end-user, who has no role in it, allowed the rest before',
    ALLOWED,
    { scope: [...SCOPE, ADMINISTRATION] },
  ),
  given(
    'the client names the end-user (id_token_hint), and another is signed in',
    { ...ANOTHER, allowed: SCOPE },
    { hintedUserId: USER },
  ),
  given('the client pushed the request, and no end-user is signed in', { pushed: PUSHED }),
  given('the client pushed the request, and the end-user allowed as much before', { ...ALLOWED, pushed: PUSHED }),
  given(
    'the client pushed the request, and the end-user has been asked for consent',
    { ...SIGNED_IN, pushed: PUSHED },
    ASKED,
  ),
  given(
    'the client pushed the request and wants nothing shown (prompt=none), and the end-user has allowed nothing',
    { ...SIGNED_IN, pushed: PUSHED },
    SILENT,
  ),
  given('every end-user has a second factor', { demandsFactor: true }),
  given('the password of the end-user was right, and the second factor is missing', {
    ...ALLOWED,
    awaits: true,
    demandsFactor: true,
  }),
  given(
    'the client wants two factors, and the end-user, who allowed as much before, is signed in with a password',
    ALLOWED,
    MULTI_FACTOR,
  ),
  given(
    'the client wants two factors and nothing shown (prompt=none), and the end-user is signed in with a password',
    ALLOWED,
    { ...MULTI_FACTOR, ...SILENT },
  ),
  given(
    'the client wants two factors of the end-user who has been asked for consent, and is signed in with a password',
    SIGNED_IN,
    { ...MULTI_FACTOR, ...ASKED },
  ),
];
