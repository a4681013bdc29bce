/** Three APIs, a client and a grant, for rules that need neither database nor HTTP. */
import { SHIPPED_LEDGER } from '../../../policies/ledger-schema.ts';
import { SHIPPED_LIMITS } from '../../../policies/limits-schema.ts';
import { NOBODY_ADMINISTERS } from '../../../policies/operators-schema.ts';
import type { Policy } from '../../../policies/schema.ts';
import { DEFAULT_SIGNING_KEYS } from '../../../policies/schema.ts';
import { NO_WEBHOOKS } from '../../../policies/webhooks-schema.ts';
import { NO_BRANDING } from '../../../src/config/branding.ts';
import type { Configuration } from '../../../src/config/configuration.ts';
import { identityResource } from '../../../src/config/identity-resource.ts';
import { managementResource } from '../../../src/config/management-resource.ts';
import type { Client } from '../../../src/model/client.ts';
import type { Grant } from '../../../src/model/grant.ts';
import { DEFAULT_METADATA } from '../../../src/registration/client-metadata.ts';

export const API = 'https://api.test';
export const BANK = 'https://bank.test';
export const ARCHIVE = 'https://archive.test';
/** Shares no access token with the UserInfo Endpoint. */
export const VAULT = 'https://vault.test';
export const USERINFO = 'https://as.test/oauth/userinfo';

export const START = Date.UTC(2026, 0, 1);
/** Seconds after the approval. */
export const at = (seconds: number) => new Date(START + seconds * 1000);

const scope = (name: string, description = `${name} there`) => ({ name, description });

export const POLICY: Policy = {
  accessTokenLifetimeSeconds: 600,
  authorizationCodeLifetimeSeconds: 60,
  refreshIdleLifetimeSeconds: 3600,
  refreshAbsoluteLifetimeSeconds: 7200,
};

export const configuration = (change: Partial<Configuration> = {}): Configuration => ({
  policies: new Map([
    ['default', POLICY],
    ['absent', { ...POLICY, refreshTokensNeedOfflineAccess: true }],
  ]),
  // The default is not the first.
  resources: [
    { identifier: BANK, name: 'Bank', scopes: [scope('pay'), scope('read', 'see your account')] },
    { identifier: API, name: 'API', default: true, scopes: [scope('read', 'see your data'), scope('write')] },
    { identifier: ARCHIVE, name: 'Archive', scopes: [scope('audit')] },
    { identifier: VAULT, name: 'Vault', userInfo: false, scopes: [scope('open')] },
  ],
  identity: identityResource('https://as.test', { scopes: [] }),
  management: managementResource('https://as.test'),
  operators: NOBODY_ADMINISTERS,
  claims: { scopes: [] },
  upstreams: [],
  delegatedSignIn: null,
  botCheck: null,
  registration: {},
  webhooks: NO_WEBHOOKS,
  limits: SHIPPED_LIMITS,
  ledger: SHIPPED_LEDGER,
  branding: NO_BRANDING,
  ownMails: [],
  signIn: {
    sessionLifetimeSeconds: 3600,
    interactionLifetimeSeconds: 600,
    requirePushedAuthorizationRequests: false,
    failureWindowSeconds: 900,
    failuresPerAccountAndAddress: 10,
    failuresPerAccount: 100,
    signUpWith: 'password',
    identifiers: 'username',
    signInPage: 'together',
    importFastHashes: false,
    signUp: 'off',
    lostFactors: 'administrator',
    codeByMail: false,
    codeByMailLifetimeSeconds: 600,
    codeByMailAttempts: 5,
    failuresPerAddress: 100,
    secondFactor: 'nobody',
    passkeyAfterPassword: 'required',
    knownDeviceLifetimeSeconds: 86_400,
    passwordMinimumCharacters: 15,
    passwordMinimumCharactersWithSecondFactor: 8,
    recentSignInSeconds: 600,
    trustedBrowserLifetimeSeconds: 0,
  },
  signingKeys: DEFAULT_SIGNING_KEYS,
  declaredClients: [],
  hasClientsFile: false,
  ...change,
});

export const client = (change: Partial<Client> = {}): Client => ({
  ...DEFAULT_METADATA,
  clientId: 'shop',
  clientName: 'Shop',
  tokenEndpointAuthMethod: 'none',
  redirectUris: ['https://shop.test/cb'],
  grantTypes: ['authorization_code', 'refresh_token'],
  postLogoutRedirectUris: ['https://shop.test/out'],
  secretMacs: [],
  registeredBy: 'operator',
  epoch: 1n,
  deletedAt: null,
  ...change,
});

/** Approved at the start; its code is not exchanged. */
export const grant = (change: Partial<Grant> = {}): Grant => ({
  id: '00000000-0000-4000-8000-000000000001',
  clientId: 'shop',
  userId: '00000000-0000-4000-8000-000000000003',
  clientEpoch: 1n,
  userEpoch: 1n,
  serverEpoch: 1n,
  scope: ['read'],
  resources: [API],
  codeHash: new Uint8Array(32),
  codeChallenge: 'x'.repeat(43),
  dpopJkt: null,
  redirectUri: 'https://shop.test/cb',
  identity: null,
  codeEndsAt: at(60),
  state: 'active',
  revokedReason: null,
  refreshGeneration: null,
  refreshNonce: null,
  createdAt: at(0),
  lastUsedAt: null,
  chainEndsAt: null,
  liveClientEpoch: 1n,
  liveUserEpoch: 1n,
  liveServerEpoch: 1n,
  ...change,
});

export const IDENTITY = { nonce: null, authTime: START / 1000, sid: 'a session' };
