/** The stored facts about linked identities and factors that an import brings: their holders, and those of an earlier import. */
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { ExternalIdentity } from '../lifecycles/linked-identity/entity.ts';
import type { Drizzle } from './database.ts';
import { endedAmong } from './ended-rows.ts';
import { reading } from './failures.ts';
import { linkedIdentities, passkeys, secondFactors } from './schema.ts';

/** One text for an identity: no issuer has a line break. */
export const identityKey = ({ issuer, subject }: ExternalIdentity): string => `${issuer}\n${subject}`;

/** @returns by `identityKey`, the id of the end-user who signs in with it. @throws StoreUnavailable */
export async function holdersOfIdentities(
  db: Drizzle,
  identities: readonly ExternalIdentity[],
): Promise<ReadonlyMap<string, string>> {
  if (identities.length === 0) return new Map();
  const { issuer, subject, userId, state } = linkedIdentities;
  const subjects = identities.map((identity) => identity.subject);
  const rows = await reading(() =>
    db
      .select({ issuer, subject, userId })
      .from(linkedIdentities)
      .where(and(eq(state, 'active'), inArray(subject, subjects))),
  );
  return new Map(rows.map((row) => [identityKey(row), row.userId]));
}

/** Those of the ids that a row has, or had before it was deleted. @throws StoreUnavailable */
export async function begunIdentities(db: Drizzle, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await reading(() =>
    db
      .select({ id: linkedIdentities.id })
      .from(linkedIdentities)
      .where(inArray(linkedIdentities.id, [...ids])),
  );
  return new Set([...rows.map(({ id }) => id), ...(await endedAmong(db, 'linked_identities', ids))]);
}

/** As `begunIdentities`. `stored`: its set-up was interrupted. @throws StoreUnavailable */
export async function begunApps(db: Drizzle, ids: readonly string[]): Promise<ReadonlyMap<string, 'begun' | 'stored'>> {
  if (ids.length === 0) return new Map();
  const rows = await reading(() =>
    db
      .select({ id: secondFactors.id, isUnconfirmed: sql<boolean>`${secondFactors.state} = 'unconfirmed'` })
      .from(secondFactors)
      .where(inArray(secondFactors.id, [...ids])),
  );
  const ended = await endedAmong(db, 'second_factors', ids);
  return new Map([
    ...ended.map((id) => [id, 'begun'] as const),
    ...rows.map(({ id, isUnconfirmed }) => [id, isUnconfirmed ? 'stored' : 'begun'] as const),
  ]);
}

/** One text for a credential id. */
export const credentialKey = (credentialId: Uint8Array): string => Buffer.from(credentialId).toString('hex');

/** By `credentialKey`, the id of the end-user who has, or had, the passkey. */
export type CredentialHolders = ReadonlyMap<string, string>;

/** @throws StoreUnavailable */
export async function holdersOfCredentials(
  db: Drizzle,
  credentialIds: readonly Uint8Array[],
): Promise<CredentialHolders> {
  if (credentialIds.length === 0) return new Map();
  const { credentialId, userId } = passkeys;
  const asked = credentialIds.map((id) => Buffer.from(id));
  const rows = await reading(() =>
    db.select({ credentialId, userId }).from(passkeys).where(inArray(credentialId, asked)),
  );
  return new Map(rows.map((row) => [credentialKey(row.credentialId), row.userId]));
}

/** Those of the ids that a row had before it was deleted. @throws StoreUnavailable */
export const begunPasskeys = async (db: Drizzle, ids: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set(ids.length === 0 ? [] : await endedAmong(db, 'passkeys', ids));
