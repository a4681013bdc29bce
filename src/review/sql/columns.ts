/**
 * The role of each column in the tables with a machine. The compiler asks for every column of src/storage/schema.ts, so that it is
 * decided for each new column whether it may change.
 */
import { columnNames } from '../../storage/columns.ts';
import { clients, grants, interactions, sessions, signingKeys, users } from '../../storage/schema.ts';

type Row<Table extends { readonly $inferSelect: object }> = keyof Table['$inferSelect'] & string;
type Roles<Table extends { readonly $inferSelect: object }, Role extends string> = Readonly<Record<Row<Table>, Role>>;

/** `bound`: never changes. `state`, `end`: change with the machine. `head`, `use`: change with a rotation. */
const GRANTS: Roles<typeof grants, 'bound' | 'state' | 'end' | 'head' | 'use'> = {
  id: 'bound',
  interactionId: 'bound',
  clientId: 'bound',
  userId: 'bound',
  clientEpoch: 'bound',
  userEpoch: 'bound',
  serverEpoch: 'bound',
  scope: 'bound',
  resources: 'bound',
  policy: 'bound',
  codeHash: 'bound',
  codeChallenge: 'bound',
  redirectUri: 'bound',
  identity: 'bound',
  codeEndsAt: 'bound',
  createdAt: 'bound',
  state: 'state',
  revokedAt: 'end',
  revokedReason: 'end',
  refreshGeneration: 'head',
  refreshNonce: 'head',
  lastUsedAt: 'use',
  chainEndsAt: 'use',
};

/** `user`: set at sign-in, and may change until the interaction is answered. */
const INTERACTIONS: Roles<typeof interactions, 'bound' | 'state' | 'user'> = {
  id: 'bound',
  browserHash: 'bound',
  clientId: 'bound',
  clientEpoch: 'bound',
  redirectUri: 'bound',
  codeChallenge: 'bound',
  scope: 'bound',
  resources: 'bound',
  requestState: 'bound',
  nonce: 'bound',
  prompt: 'bound',
  maxAgeSeconds: 'bound',
  hintedUserId: 'bound',
  loginHint: 'bound',
  responseMode: 'bound',
  createdAt: 'bound',
  endsAt: 'bound',
  state: 'state',
  userId: 'user',
};

/**
 * `instant`: never cleared once it is set. `secret`: never set again once it is erased. `asked`: a request of the operator, which
 * an earlier handover may overwrite.
 */
const SIGNING_KEYS: Roles<
  typeof signingKeys,
  'bound' | 'state' | 'end' | 'instant' | 'asked' | 'secret' | 'generated'
> = {
  kid: 'bound',
  alg: 'bound',
  publicJwk: 'bound',
  createdAt: 'bound',
  maySignAt: 'bound',
  state: 'state',
  retiredReason: 'end',
  beganSigningAt: 'instant',
  rotationAskedAt: 'asked',
  stoppedSigningAt: 'instant',
  retiredAt: 'end',
  privateJwe: 'secret',
  signing: 'generated',
};

/** `use`: moves forward while the session lives. `end`: changes with the machine, and never to a later instant. */
const SESSIONS: Roles<typeof sessions, 'bound' | 'state' | 'use' | 'end'> = {
  idHash: 'bound',
  sid: 'bound',
  userId: 'bound',
  userEpoch: 'bound',
  serverEpoch: 'bound',
  signedInAt: 'bound',
  userAgent: 'bound',
  state: 'state',
  lastUsedAt: 'use',
  endsAt: 'end',
  endedReason: 'end',
};

/** `registration`: replaced as a whole, by an administrator. `end`: changes with the machine. `epoch`: only rises. */
const CLIENTS: Roles<typeof clients, 'bound' | 'registration' | 'secret' | 'end' | 'epoch'> = {
  clientId: 'bound',
  createdAt: 'bound',
  clientName: 'registration',
  applicationType: 'registration',
  tokenEndpointAuthMethod: 'registration',
  redirectUris: 'registration',
  grantTypes: 'registration',
  scope: 'registration',
  defaultScope: 'registration',
  defaultResource: 'registration',
  policy: 'registration',
  postLogoutRedirectUris: 'registration',
  idTokenSignedResponseAlg: 'registration',
  declared: 'registration',
  registeredBy: 'registration',
  secretMacs: 'secret',
  deletedAt: 'end',
  epoch: 'epoch',
};

/** `record`: replaced as a whole, by an administrator; erased with the deletion. */
const USERS: Roles<typeof users, 'bound' | 'record' | 'end' | 'epoch'> = {
  id: 'bound',
  createdAt: 'bound',
  username: 'record',
  usernameKey: 'record',
  passwordHash: 'record',
  claims: 'record',
  disabledAt: 'end',
  deletedAt: 'end',
  epoch: 'epoch',
};

type Table = Parameters<typeof columnNames>[0];

/** The columns' names in Postgres. */
const columnsOf = (table: Table, roles: Readonly<Record<string, string>>, role: string): readonly string[] =>
  [...columnNames(table)].filter(([property]) => roles[property] === role).map(([, name]) => name);

export const boundColumns = {
  grants: columnsOf(grants, GRANTS, 'bound'),
  interactions: columnsOf(interactions, INTERACTIONS, 'bound'),
  signing_keys: columnsOf(signingKeys, SIGNING_KEYS, 'bound'),
  sessions: columnsOf(sessions, SESSIONS, 'bound'),
  clients: columnsOf(clients, CLIENTS, 'bound'),
  users: columnsOf(users, USERS, 'bound'),
} as const;

/** What is left of an end-user after the deletion is the rest. */
export const recordOfUsers = columnsOf(users, USERS, 'record');

export const instantsOfKeys = columnsOf(signingKeys, SIGNING_KEYS, 'instant');
