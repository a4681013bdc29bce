/** The row of a grant as an approval inserts it. */
import { sql } from 'drizzle-orm';
import type { Given } from './bound.ts';
import { grants } from './schema.ts';
import { selectionFor } from './selection.ts';

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

export const newGrant = (given: Given, approved: Approved) =>
  selectionFor(grants, {
    ...approved,
    scope: given('grantedScope', 'text[]'),
    policy: given('policy', 'text'),
    codeHash: given('codeHash', 'bytea'),
    identity: given('identity', 'jsonb'),
    codeEndsAt: given('codeEndsAt', 'timestamptz'),
    state: sql`'active'`,
    createdAt: given('now', 'timestamptz'),
  });
