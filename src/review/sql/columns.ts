/**
 * The role of each column in the tables with a machine. The compiler asks for every column of src/storage/schema.ts, so that it is
 * decided for each new column whether it may change.
 */
import { MAX_SESSION_SECONDS } from '../../../policies/schema.ts';
import { columnNames } from '../../storage/columns.ts';
import {
  clients,
  consents,
  emailChallenges,
  externalSignIns,
  grants,
  interactions,
  linkedIdentities,
  mails,
  passkeys,
  recoveryCodes,
  secondFactors,
  sessions,
  signingKeys,
  users,
  webhookDeliveries,
} from '../../storage/schema.ts';

type Row<Table extends { readonly $inferSelect: object }> = keyof Table['$inferSelect'] & string;
type Roles<Table extends { readonly $inferSelect: object }, Role extends string> = Readonly<Record<Row<Table>, Role>>;

/**
 * `bound`: never changes. `state`, `end`: change with the machine. `head`, `use`: change with a rotation. `mac`: made anew when the root
 * secret is rotated, with its version.
 */
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
  requiredClass: 'bound',
  hintedUserId: 'bound',
  loginHint: 'bound',
  uiLocales: 'bound',
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
const SIGNING_KEYS: Roles<typeof signingKeys, 'bound' | 'state' | 'end' | 'instant' | 'asked' | 'secret' | 'mac'> = {
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
  mac: 'mac',
  macVersion: 'mac',
};

/**
 * `use`: moves forward while the session lives. `end`: changes with the machine, and never to a later instant. `factor`: changes with
 * a further factor.
 */
const SESSIONS: Roles<typeof sessions, 'bound' | 'state' | 'use' | 'end' | 'factor' | 'mac'> = {
  idHash: 'factor',
  sid: 'bound',
  userId: 'bound',
  userEpoch: 'bound',
  serverEpoch: 'bound',
  signedInAt: 'bound',
  amr: 'factor',
  userAgent: 'bound',
  state: 'state',
  lastUsedAt: 'use',
  endsAt: 'end',
  endedReason: 'end',
  mac: 'mac',
  macVersion: 'mac',
};

/** `registration`: replaced as a whole, by an administrator. `end`: changes with the machine. `epoch`: only rises. */
const CLIENTS: Roles<typeof clients, 'bound' | 'registration' | 'secret' | 'end' | 'epoch' | 'mac'> = {
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
  logoUri: 'registration',
  tosUri: 'registration',
  policyUri: 'registration',
  declared: 'registration',
  registeredBy: 'registration',
  secretMacs: 'secret',
  deletedAt: 'end',
  epoch: 'epoch',
  mac: 'mac',
  macVersion: 'mac',
  tokenMac: 'mac',
};

/** `allowed`: what is allowed, replaced by each approval that adds to it. */
const CONSENTS: Roles<typeof consents, 'bound' | 'allowed' | 'mac'> = {
  id: 'bound',
  userId: 'bound',
  clientId: 'bound',
  resources: 'bound',
  userEpoch: 'allowed',
  clientEpoch: 'allowed',
  scope: 'allowed',
  grantedAt: 'allowed',
  mac: 'mac',
  macVersion: 'mac',
};

/** `record`: replaced as a whole, by an administrator; erased with the deletion. */
const USERS: Roles<typeof users, 'bound' | 'record' | 'end' | 'epoch' | 'mac'> = {
  id: 'bound',
  createdAt: 'bound',
  username: 'record',
  usernameKey: 'record',
  passwordHash: 'record',
  importedHash: 'record',
  passwordByLinkAt: 'record',
  claims: 'record',
  disabledAt: 'end',
  deletedAt: 'end',
  epoch: 'epoch',
  mac: 'mac',
  macVersion: 'mac',
};

/** `end`: changes with the machine. */
const EMAIL_CHALLENGES: Roles<typeof emailChallenges, 'bound' | 'state' | 'end' | 'mac'> = {
  id: 'bound',
  purpose: 'bound',
  secretHash: 'bound',
  person: 'bound',
  userId: 'bound',
  userEpoch: 'bound',
  address: 'bound',
  sentBy: 'bound',
  goesOnPath: 'bound',
  goesOnBrowserHash: 'bound',
  createdAt: 'bound',
  endsAt: 'bound',
  state: 'state',
  supersededReason: 'end',
  newerLinks: 'end',
  mac: 'mac',
  macVersion: 'mac',
};

/** `state`, `answer`: change with the machine. */
const EXTERNAL_SIGN_INS: Roles<typeof externalSignIns, 'bound' | 'state' | 'answer' | 'mac'> = {
  id: 'bound',
  referenceHash: 'bound',
  kind: 'bound',
  purpose: 'bound',
  provider: 'bound',
  browserHash: 'bound',
  interactionId: 'bound',
  sealedInteraction: 'bound',
  wishes: 'bound',
  sealedSecrets: 'bound',
  beganAt: 'bound',
  endsAt: 'bound',
  state: 'state',
  userId: 'answer',
  amr: 'answer',
  authenticatedAt: 'answer',
  refusal: 'answer',
  mac: 'mac',
  macVersion: 'mac',
};

const LINKED_IDENTITIES: Roles<typeof linkedIdentities, 'bound' | 'state' | 'end' | 'mac'> = {
  id: 'bound',
  userId: 'bound',
  issuer: 'bound',
  subject: 'bound',
  provider: 'bound',
  linkedAt: 'bound',
  state: 'state',
  removedAt: 'end',
  removedReason: 'end',
  mac: 'mac',
  macVersion: 'mac',
};

/** `instant`: set once. `secret`: replaced while the factor lives, dropped with its end, and never set again. `use`: moves forward. */
const SECOND_FACTORS: Roles<typeof secondFactors, 'bound' | 'state' | 'instant' | 'secret' | 'use'> = {
  id: 'bound',
  userId: 'bound',
  createdAt: 'bound',
  state: 'state',
  sealedSecret: 'secret',
  lastStep: 'use',
  confirmedAt: 'instant',
  removedAt: 'instant',
};

const RECOVERY_CODES: Roles<typeof recoveryCodes, 'bound' | 'state' | 'instant'> = {
  id: 'bound',
  userId: 'bound',
  codeHash: 'bound',
  createdAt: 'bound',
  state: 'state',
  endedAt: 'instant',
};

const PASSKEYS: Roles<typeof passkeys, 'bound' | 'state' | 'instant' | 'secret' | 'use' | 'name' | 'mac'> = {
  id: 'bound',
  userId: 'bound',
  credentialId: 'bound',
  backupEligible: 'bound',
  transports: 'bound',
  createdAt: 'bound',
  state: 'state',
  name: 'name',
  publicKey: 'secret',
  counter: 'use',
  lastUsedAt: 'use',
  removedAt: 'instant',
  mac: 'mac',
  macVersion: 'mac',
};

/** `attempt`: changes while it is pending. `due`: there is one while it is pending. `end`: changes with the machine. */
const WEBHOOK_DELIVERIES: Roles<typeof webhookDeliveries, 'bound' | 'state' | 'attempt' | 'due' | 'end'> = {
  id: 'bound',
  receiver: 'bound',
  eventId: 'bound',
  eventType: 'bound',
  userId: 'bound',
  data: 'bound',
  occurredAt: 'bound',
  createdAt: 'bound',
  state: 'state',
  attempts: 'attempt',
  nextAttemptAt: 'due',
  givesUpAt: 'attempt',
  lastOutcome: 'attempt',
  endedAt: 'end',
  abandonedReason: 'end',
};

/** As of a delivery. `secret`: erased with the end, and never set again. */
const MAILS: Roles<typeof mails, 'bound' | 'state' | 'attempt' | 'due' | 'end' | 'secret'> = {
  id: 'bound',
  purpose: 'bound',
  domainHash: 'bound',
  userId: 'bound',
  createdAt: 'bound',
  givesUpAt: 'bound',
  state: 'state',
  attempts: 'attempt',
  nextAttemptAt: 'due',
  sealedContents: 'secret',
  endedAt: 'end',
  dropReason: 'end',
};

type Table = Parameters<typeof columnNames>[0];

/** The columns' names in Postgres. */
const columnsOf = (table: Table, roles: Readonly<Record<string, string>>, role: string): readonly string[] =>
  [...columnNames(table)].filter(([property]) => roles[property] === role).map(([, name]) => name);

/** The column that names a row in a refusal, of every table with triggers; never a secret. */
export const keyColumns = {
  grants: 'id',
  interactions: 'id',
  signing_keys: 'kid',
  sessions: 'sid',
  second_factors: 'id',
  recovery_codes: 'id',
  passkeys: 'id',
  external_sign_ins: 'id',
  linked_identities: 'id',
  email_challenges: 'id',
  webhook_deliveries: 'id',
  mails: 'id',
  clients: 'client_id',
  users: 'id',
  consents: 'id',
  server: 'id',
  transitions: 'grant_id',
} as const;
export type HeldTable = keyof typeof keyColumns;

/**
 * Rows that may be deleted while an earlier image of them would still count: the name under which none begins again, which is what the
 * image is bound to, and until when an image counts. Both are SQL over NEW or OLD. Other tables keep their rows for as long.
 */
export const beginOnce: {
  readonly [Table in HeldTable]?: { readonly name: (row: string) => string; readonly until: string };
} = {
  // An ended session has its end brought forward, and no image of it has a later end than a session that begins now.
  sessions: {
    name: (row) => `${row}.sid::text`,
    until: `CASE WHEN OLD.state = 'ended' THEN now() + interval '${MAX_SESSION_SECONDS} seconds' ELSE OLD.ends_at END`,
  },
  email_challenges: { name: (row) => `${row}.id::text`, until: 'OLD.ends_at' },
  passkeys: { name: (row) => `${row}.id::text`, until: 'NULL' },
  linked_identities: { name: (row) => `${row}.id::text`, until: 'NULL' },
  consents: { name: (row) => `${row}.id::text`, until: 'NULL' },
  // Its secret is sealed for this id.
  second_factors: { name: (row) => `${row}.id::text`, until: 'NULL' },
  // Its contents are sealed for this id.
  mails: { name: (row) => `${row}.id::text`, until: 'OLD.gives_up_at' },
  // Its hash is that of one code of one end-user, under whatever id.
  recovery_codes: { name: (row) => `encode(${row}.code_hash, 'hex')`, until: 'NULL' },
};

export const boundColumns = {
  grants: columnsOf(grants, GRANTS, 'bound'),
  interactions: columnsOf(interactions, INTERACTIONS, 'bound'),
  signing_keys: columnsOf(signingKeys, SIGNING_KEYS, 'bound'),
  sessions: columnsOf(sessions, SESSIONS, 'bound'),
  second_factors: columnsOf(secondFactors, SECOND_FACTORS, 'bound'),
  recovery_codes: columnsOf(recoveryCodes, RECOVERY_CODES, 'bound'),
  passkeys: columnsOf(passkeys, PASSKEYS, 'bound'),
  clients: columnsOf(clients, CLIENTS, 'bound'),
  users: columnsOf(users, USERS, 'bound'),
  consents: columnsOf(consents, CONSENTS, 'bound'),
  email_challenges: columnsOf(emailChallenges, EMAIL_CHALLENGES, 'bound'),
  external_sign_ins: columnsOf(externalSignIns, EXTERNAL_SIGN_INS, 'bound'),
  linked_identities: columnsOf(linkedIdentities, LINKED_IDENTITIES, 'bound'),
  webhook_deliveries: columnsOf(webhookDeliveries, WEBHOOK_DELIVERIES, 'bound'),
  mails: columnsOf(mails, MAILS, 'bound'),
} as const;

/** What is left of an end-user after the deletion is the rest. */
export const recordOfUsers = columnsOf(users, USERS, 'record');

export const answerOfExternalSignIns = columnsOf(externalSignIns, EXTERNAL_SIGN_INS, 'answer');
export const factorOfSessions = columnsOf(sessions, SESSIONS, 'factor');

export const instantsOfKeys = columnsOf(signingKeys, SIGNING_KEYS, 'instant');
export const attemptOfDeliveries = columnsOf(webhookDeliveries, WEBHOOK_DELIVERIES, 'attempt');
