/**
 * What gives a row its authority, for its MAC (src/crypto/row-mac.ts). What may change without a decision about authority, such as the
 * instant of the last use, is no part of it.
 */
import type { RowFact, RowKind } from '../crypto/row-mac.ts';
import { addressOf } from '../model/email-challenge.ts';
import type {
  emailChallenges,
  externalSignIns,
  linkedIdentities,
  passkeys,
  sessions,
  signingKeys,
  users,
} from './schema.ts';

type Row<Table extends { readonly $inferSelect: object }, Name extends keyof Table['$inferSelect']> = Readonly<
  Pick<Table['$inferSelect'], Name>
>;
type Bytes<Name extends string> = { readonly [name in Name]: Uint8Array };

export type Facts = readonly [RowKind, readonly RowFact[]];

type SessionRow = Bytes<'idHash'> &
  Row<typeof sessions, 'sid' | 'userId' | 'userEpoch' | 'serverEpoch' | 'amr' | 'state'>;

/** Who signed in, how, in which browser, and whether a factor is missing. */
export const sessionFacts = (row: SessionRow): Facts => [
  'session',
  [row.idHash, row.sid, row.userId, row.userEpoch, row.serverEpoch, row.amr, row.state === 'awaitingSecondFactor'],
];

/** What is published. jsonb keeps no order of names. */
export const signingKeyFacts = ({
  kid,
  alg,
  publicJwk,
}: Row<typeof signingKeys, 'kid' | 'alg' | 'publicJwk'>): Facts => [
  'signing-key',
  [kid, alg, JSON.stringify(Object.entries(publicJwk).toSorted(([left], [right]) => (left < right ? -1 : 1)))],
];

type UserRow = Row<typeof users, 'id' | 'usernameKey' | 'passwordHash' | 'passwordByLinkAt'> &
  Parameters<typeof addressOf>[0];

/**
 * By which name and password; to which address links for a new password go; and since when the mailbox alone is not enough to remove
 * factors.
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
    ],
  ];
};

type PasskeyRow = Bytes<'credentialId'> &
  Row<typeof passkeys, 'id' | 'userId'> & { readonly publicKey: Uint8Array | null };

export const passkeyFacts = (row: PasskeyRow): Facts => [
  'passkey',
  [row.id, row.userId, row.credentialId, row.publicKey],
];

export const linkedIdentityFacts = (
  row: Row<typeof linkedIdentities, 'id' | 'userId' | 'issuer' | 'subject'>,
): Facts => ['linked-identity', [row.id, row.userId, row.issuer, row.subject]];

type ExternalSignInRow = Bytes<'referenceHash' | 'browserHash'> &
  Row<typeof externalSignIns, 'id' | 'kind' | 'purpose' | 'provider' | 'state' | 'userId' | 'amr' | 'authenticatedAt'>;

/** For which browser it began, for whom, and what was answered. */
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
  ],
];

type EmailChallengeRow = Bytes<'secretHash'> &
  Row<typeof emailChallenges, 'id' | 'purpose' | 'person' | 'userId' | 'userEpoch' | 'address' | 'endsAt'> & {
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
  ],
];

/** As they stand in the row. */
export const goesOnOf = ({
  goesOnPath: path,
  goesOnBrowserHash: browserHash,
}: Row<typeof emailChallenges, 'goesOnPath' | 'goesOnBrowserHash'>): EmailChallengeRow['goesOn'] =>
  path === null || browserHash === null ? null : { path, browserHash };
