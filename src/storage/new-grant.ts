/** The row of a grant as an approval inserts it: only this file knows the columns of `grants` in their order. */
import { sql } from 'drizzle-orm';
import type { SignInFacts } from '../model/grant.ts';
import type { Given } from './bound.ts';

/** Where the statement has the values that it compares with loaded facts, and what the client asked for. */
export type Approved = Readonly<
  Record<
    | 'id'
    | 'clientId'
    | 'clientEpoch'
    | 'userId'
    | 'userEpoch'
    | 'serverEpoch'
    | 'resources'
    | 'codeChallenge'
    | 'dpopJkt'
    | 'redirectUri',
    unknown
  >
>;

/** The selection of `insert(grants).select(…)`. */
export const newGrant = (given: Given, approved: Approved) => ({
  id: as<string>(approved.id, 'id'),
  clientId: as<string>(approved.clientId, 'client_id'),
  userId: as<string>(approved.userId, 'user_id'),
  clientEpoch: as<bigint>(approved.clientEpoch, 'client_epoch'),
  userEpoch: as<bigint>(approved.userEpoch, 'user_epoch'),
  serverEpoch: as<bigint>(approved.serverEpoch, 'server_epoch'),
  scope: as<string[]>(given('grantedScope', 'text[]'), 'scope'),
  resources: as<string[]>(approved.resources, 'resources'),
  policy: as<string>(given('policy', 'text'), 'policy'),
  codeHash: as<Buffer>(given('codeHash', 'bytea'), 'code_hash'),
  codeChallenge: as<string>(approved.codeChallenge, 'code_challenge'),
  redirectUri: as<string>(approved.redirectUri, 'redirect_uri'),
  dpopJkt: as<string>(approved.dpopJkt, 'dpop_jkt'),
  identity: as<SignInFacts>(given('identity', 'jsonb'), 'identity'),
  codeEndsAt: as<Date>(given('codeEndsAt', 'timestamptz'), 'code_ends_at'),
  state: as<'active'>(sql`'active'`, 'state'),
  revokedAt: as<Date>(sql`null::timestamptz`, 'revoked_at'),
  revokedReason: as<string>(sql`null::text`, 'revoked_reason'),
  refreshGeneration: as<bigint>(sql`null::bigint`, 'refresh_generation'),
  refreshNonce: as<Buffer>(sql`null::bytea`, 'refresh_nonce'),
  createdAt: as<Date>(given('now', 'timestamptz'), 'created_at'),
  lastUsedAt: as<Date>(sql`null::timestamptz`, 'last_used_at'),
  chainEndsAt: as<Date>(sql`null::timestamptz`, 'chain_ends_at'),
});

const as = <T>(value: unknown, name: string) => sql<T>`${value}`.as(name);
