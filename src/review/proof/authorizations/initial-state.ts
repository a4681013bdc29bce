/** Where every exploration of an authorization begins: an approval has just been committed, and its code is on its way. */
import type { TokenClient } from '../../../model/client.ts';
import type { AccessToday, Grant } from '../../../model/grant.ts';
import type { Lifetimes } from '../../../model/lifetimes.ts';
import { drawn, drawnId, THE_CLIENT } from '../identities.ts';
import type { Authorization } from './store.ts';

/** Milliseconds since 1970; any instant would do. */
export const APPROVED_AT = Date.UTC(2030, 0, 1);

export const SCOPE = ['read', 'write'];
export const RESOURCES = ['https://api.example', 'https://files.example'];
export const REDIRECT_URI = 'https://client.example/callback';
/** S256 of the right verifier; the explorer never computes one, it says whether it was right. */
export const CHALLENGE = 'the challenge of the right verifier';

const client = (clientId: string): TokenClient => ({
  clientId,
  tokenEndpointAuthMethod: 'none',
  secretMacs: [],
  grantTypes: ['authorization_code', 'refresh_token'],
  scope: null,
  policy: 'explored',
  idTokenSignedResponseAlg: 'RS256',
  epoch: 0n,
  deletedAt: null,
});
export const CLIENT = client(THE_CLIENT);
export const OTHER_CLIENT = client(drawn('another-client'));

/** The client's ceiling still holds all that was granted; probes.ts narrows it. */
export const allOfIt = ({ scope, resources }: Pick<Grant, 'scope' | 'resources'>): AccessToday => ({
  scope,
  resources,
  mayRefresh: true,
});

const GRANT_ID = drawnId();
const INTERACTION_ID = drawnId();
const USER_ID = drawnId();

export const approved = (lifetimes: Lifetimes): Authorization => ({
  grant: {
    id: GRANT_ID,
    interactionId: INTERACTION_ID,
    clientId: CLIENT.clientId,
    userId: USER_ID,
    clientEpoch: 0n,
    userEpoch: 0n,
    serverEpoch: 0n,
    scope: SCOPE,
    resources: RESOURCES,
    codeHash: new Uint8Array(32),
    codeChallenge: CHALLENGE,
    redirectUri: REDIRECT_URI,
    identity: null,
    codeEndsAt: new Date(APPROVED_AT + lifetimes.authorizationCodeLifetimeSeconds * 1000),
    state: 'active',
    revokedReason: null,
    refreshGeneration: null,
    refreshNonce: null,
    createdAt: new Date(APPROVED_AT),
    lastUsedAt: null,
    chainEndsAt: null,
  },
  client: { epoch: 0n, isDeleted: false },
  user: { epoch: 0n, isDisabled: false },
  serverEpoch: 0n,
});
