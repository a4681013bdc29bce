/**
 * What each column of the rows with a machine is for. The compiler asks for every column of src/storage/schema.ts, so a new
 * one cannot be left out of the question whether it may change.
 */
import { columnNames } from '../../storage/columns.ts';
import { grants, interactions, sessions, signingKeys } from '../../storage/schema.ts';

type Row<Table extends { readonly $inferSelect: object }> = keyof Table['$inferSelect'] & string;
type Roles<Table extends { readonly $inferSelect: object }, Role extends string> = Readonly<Record<Row<Table>, Role>>;

/** `bound`: as it was inserted. `state`, `end`: along the machine. `head`, `use`: with a rotation. */
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

/** `user`: the end-user who signed in; may change until it is answered. */
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
 * `instant`: once it has come it does not go. `secret`: once it is erased it does not come back. `asked`: only a wish of the
 * operator's, which a handover that was decided before may forget.
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

/** `use`: moves forward while the session lives. `end`: along the machine, and only ever brought forward. */
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

type Table = Parameters<typeof columnNames>[0];

/** By their names in Postgres. */
const columnsOf = (table: Table, roles: Readonly<Record<string, string>>, role: string): readonly string[] =>
  [...columnNames(table)].filter(([property]) => roles[property] === role).map(([, name]) => name);

export const boundColumns = {
  grants: columnsOf(grants, GRANTS, 'bound'),
  interactions: columnsOf(interactions, INTERACTIONS, 'bound'),
  signing_keys: columnsOf(signingKeys, SIGNING_KEYS, 'bound'),
  sessions: columnsOf(sessions, SESSIONS, 'bound'),
} as const;

export const instantsOfKeys = columnsOf(signingKeys, SIGNING_KEYS, 'instant');
