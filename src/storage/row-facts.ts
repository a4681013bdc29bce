/**
 * What gives a row its authority, for its MAC (src/crypto/row-mac.ts). What may change without a decision about authority, such as the
 * instant of the last use, is no part of it. The version comes last: a MAC is right for one version of a row alone.
 */
import { getTableColumns } from 'drizzle-orm';
import type { RowFact, RowKind } from '../crypto/row-mac.ts';
import type { TokenClient } from '../model/client.ts';
import { addressOf } from '../model/email-challenge.ts';
import type {
  consents,
  emailChallenges,
  externalSignIns,
  linkedIdentities,
  passkeys,
  sessions,
  signingKeys,
  users,
} from './schema.ts';
import { clients } from './schema.ts';

type Row<Table extends { readonly $inferSelect: object }, Name extends keyof Table['$inferSelect']> = Readonly<
  Pick<Table['$inferSelect'], Name>
>;
type Bytes<Name extends string> = { readonly [name in Name]: Uint8Array };

export type Facts = readonly [RowKind, readonly RowFact[]];

type SessionRow = Bytes<'idHash'> &
  Row<typeof sessions, 'sid' | 'userId' | 'userEpoch' | 'serverEpoch' | 'amr' | 'state' | 'endsAt' | 'macVersion'>;

/** Who signed in, how, in which browser, until when, and whether a factor is missing. */
export const sessionFacts = (row: SessionRow): Facts => [
  'session',
  [
    row.idHash,
    row.sid,
    row.userId,
    row.userEpoch,
    row.serverEpoch,
    row.amr,
    row.state,
    row.endsAt.toISOString(),
    row.macVersion,
  ],
];

/** What is published. jsonb keeps no order of names. */
export const signingKeyFacts = ({
  kid,
  alg,
  publicJwk,
  macVersion,
}: Row<typeof signingKeys, 'kid' | 'alg' | 'publicJwk' | 'macVersion'>): Facts => [
  'signing-key',
  [kid, alg, JSON.stringify(inOrder(publicJwk)), macVersion],
];

type UserRow = Row<
  typeof users,
  'id' | 'usernameKey' | 'passwordHash' | 'passwordByLinkAt' | 'disabledAt' | 'macVersion'
> &
  Parameters<typeof addressOf>[0];

/**
 * By which name and password; to which address links for a new password go; and since when the mailbox alone is not enough to remove
 * factors; and whether they may sign in at all.
 */
export const userFacts = (row: UserRow): Facts => {
  const address = addressOf(row);
  return [
    'user',
    [
      row.id,
      row.usernameKey,
      row.passwordHash,
      address?.address ?? null,
      address?.isVerified ?? false,
      row.passwordByLinkAt?.toISOString() ?? null,
      row.disabledAt !== null,
      row.macVersion,
    ],
  ];
};

type PasskeyRow = Bytes<'credentialId'> &
  Row<typeof passkeys, 'id' | 'userId' | 'macVersion'> & { readonly publicKey: Uint8Array | null };

export const passkeyFacts = (row: PasskeyRow): Facts => [
  'passkey',
  [row.id, row.userId, row.credentialId, row.publicKey, row.macVersion],
];

export const linkedIdentityFacts = (
  row: Row<typeof linkedIdentities, 'id' | 'userId' | 'issuer' | 'subject' | 'macVersion'>,
): Facts => ['linked-identity', [row.id, row.userId, row.issuer, row.subject, row.macVersion]];

type ExternalSignInRow = Bytes<'referenceHash' | 'browserHash'> &
  Row<
    typeof externalSignIns,
    'id' | 'kind' | 'purpose' | 'provider' | 'state' | 'userId' | 'amr' | 'authenticatedAt' | 'endsAt' | 'macVersion'
  >;

/** For which browser it began, for whom, until when, and what was answered. */
export const externalSignInFacts = (row: ExternalSignInRow): Facts => [
  'external-sign-in',
  [
    row.id,
    row.referenceHash,
    row.browserHash,
    row.kind,
    row.purpose,
    row.provider,
    row.state,
    row.userId,
    row.amr,
    row.authenticatedAt?.toISOString() ?? null,
    row.endsAt.toISOString(),
    row.macVersion,
  ],
];

type EmailChallengeRow = Bytes<'secretHash'> &
  Row<
    typeof emailChallenges,
    'id' | 'purpose' | 'person' | 'userId' | 'userEpoch' | 'address' | 'endsAt' | 'macVersion'
  > & {
    readonly goesOn: { readonly path: string; readonly browserHash: Uint8Array } | null;
  };

/** What it is good for, for whom and until when, and where the browser goes on. */
export const emailChallengeFacts = (row: EmailChallengeRow): Facts => [
  'email-challenge',
  [
    row.id,
    row.purpose,
    row.secretHash,
    row.person,
    row.userId,
    row.userEpoch,
    row.address,
    row.goesOn?.path ?? null,
    row.goesOn?.browserHash ?? null,
    row.endsAt.toISOString(),
    row.macVersion,
  ],
];

/** As they stand in the row. */
export const goesOnOf = ({
  goesOnPath: path,
  goesOnBrowserHash: browserHash,
}: Row<typeof emailChallenges, 'goesOnPath' | 'goesOnBrowserHash'>): EmailChallengeRow['goesOn'] =>
  path === null || browserHash === null ? null : { path, browserHash };

type ClientFactsRow = Omit<typeof clients.$inferSelect, 'mac' | 'tokenMac' | 'createdAt'>;

/** Each column but these. */
const {
  mac: _,
  tokenMac: __,
  macVersion: ___,
  createdAt: ____,
  epoch: _____,
  deletedAt: ______,
  ...REGISTRATION
} = getTableColumns(clients);
const REGISTRATION_NAMES = Object.keys(REGISTRATION).toSorted() as (keyof typeof REGISTRATION)[];

/** Its whole registration, and whether it is deleted. The epoch ends what is older, and only rises. */
export const clientFacts = (row: ClientFactsRow): Facts => [
  'client',
  [JSON.stringify(REGISTRATION_NAMES.map((name) => inOrder(row[name]))), row.deletedAt !== null, row.macVersion],
];

/** What a token request reads of it. */
export const tokenClientFacts = (row: TokenClient & Pick<typeof clients.$inferSelect, 'macVersion'>): Facts => [
  'client-at-token',
  [
    row.clientId,
    row.tokenEndpointAuthMethod,
    row.secretMacs.map(({ keyId, mac }) => `${keyId}:${mac}`),
    row.grantTypes,
    row.scope,
    row.policy,
    row.idTokenSignedResponseAlg,
    row.deletedAt !== null,
    row.macVersion,
  ],
];

/** With the names of objects sorted, at any depth: jsonb keeps no order. */
const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOrder);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([name, one]) => [name, inOrder(one)]);
};

/** Who allowed what, to which client and where, since when. */
export const consentFacts = (
  row: Row<
    typeof consents,
    'id' | 'userId' | 'clientId' | 'userEpoch' | 'clientEpoch' | 'scope' | 'resources' | 'grantedAt' | 'macVersion'
  >,
): Facts => [
  'consent',
  [
    row.id,
    row.userId,
    row.clientId,
    row.userEpoch,
    row.clientEpoch,
    row.scope,
    row.resources,
    row.grantedAt.toISOString(),
    row.macVersion,
  ],
];
