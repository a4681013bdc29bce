/** Where every exploration of the administration begins: each state of a client and of an end-user. */
import type { ClientRow, SentRegistration } from '../../../lifecycles/client/lifecycle.ts';
import type { UserRow } from '../../../lifecycles/user/lifecycle.ts';
import type { RegisteredClient, SecretMac } from '../../../model/client.ts';
import type { RegisteredUser, User } from '../../../model/user.ts';
import type { InitialState } from '../walk.ts';
import { CLIENT_ID, USER_ID } from './store.ts';
import type { Terms } from './terms.ts';

/** Milliseconds since 1970; any instant would do. */
export const BEGAN_AT = Date.UTC(2030, 0, 1);

export const secretNamed = (id: string): SecretMac => ({ id, keyId: 'root', mac: id });

export const CONFIDENTIAL: SentRegistration = {
  clientId: CLIENT_ID,
  clientName: 'Shop',
  applicationType: 'web',
  tokenEndpointAuthMethod: 'client_secret_basic',
  secretMacs: [secretNamed('its secret')],
  redirectUris: ['https://shop.example/callback'],
  grantTypes: ['authorization_code'],
  scope: null,
  defaultScope: null,
  defaultResource: null,
  policy: 'default',
  postLogoutRedirectUris: [],
  idTokenSignedResponseAlg: 'RS256',
  logoUri: null,
  tosUri: null,
  policyUri: null,
  declared: false,
  registeredBy: 'operator',
};
export const PUBLIC: SentRegistration = { ...CONFIDENTIAL, tokenEndpointAuthMethod: 'none', secretMacs: [] };
export const DECLARED: SentRegistration = { ...CONFIDENTIAL, clientName: 'Shop, from a file', declared: true };

const registered = (sent: SentRegistration, change: Partial<RegisteredClient> = {}): RegisteredClient => ({
  ...sent,
  epoch: 0n,
  deletedAt: null,
  ...change,
});

const EARLIER = new Date(BEGAN_AT - 1000);

const CLIENTS: readonly (readonly [says: string, client: ClientRow['client']])[] = [
  ['No client has the id', null],
  ['A confidential client is registered', registered(CONFIDENTIAL)],
  ['A public client is registered', registered(PUBLIC)],
  [
    'A client with two secrets is registered',
    registered(CONFIDENTIAL, { secretMacs: ['one', 'two'].map(secretNamed) }),
  ],
  ['A client is declared in configuration', registered(DECLARED)],
  ['The client was deleted', registered(CONFIDENTIAL, { secretMacs: [], epoch: 1n, deletedAt: EARLIER })],
];

export const hashOf = (password: string) => password as User['passwordHash'];
/** The password of a hash: what was hashed elsewhere and what was hashed here may be the same. */
export const passwordOf = (hash: string | undefined) => hash?.split(',')[0];
export const IMPORTED = 'of the password, hashed elsewhere' as NonNullable<RegisteredUser['importedHash']>;

const ALICE: RegisteredUser = {
  id: USER_ID,
  username: 'alice',
  passwordHash: hashOf('the password, hashed elsewhere'),
  importedHash: IMPORTED,
  passwordByLinkAt: null,
  claims: { name: 'Alice' },
  epoch: 0n,
  disabledAt: null,
  deletedAt: null,
};

const USERS: readonly (readonly [says: string, user: UserRow['user']])[] = [
  ['Nobody has the sub', null],
  ['An end-user is enabled', ALICE],
  ['An end-user is disabled', { ...ALICE, epoch: 1n, disabledAt: EARLIER }],
  [
    'The end-user was deleted',
    {
      ...ALICE,
      username: '',
      passwordHash: hashOf(''),
      importedHash: null,
      claims: {},
      epoch: 1n,
      disabledAt: EARLIER,
      deletedAt: EARLIER,
    },
  ],
];

const initialState = (says: string, stored: Terms['stored']): InitialState<Terms> => ({
  says: `${says}.`,
  now: BEGAN_AT,
  stored,
  known: { stored: [] },
});

export const INITIAL_STATES: readonly InitialState<Terms>[] = [
  ...CLIENTS.map(([says, client]) =>
    initialState(says, { client: { row: { clientId: CLIENT_ID, client }, version: 1 }, user: null }),
  ),
  ...USERS.map(([says, user]) => initialState(says, { client: null, user: { row: { user }, version: 1 } })),
];
