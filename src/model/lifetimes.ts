/** When codes and chains end: under today's policy, but never later than the end that was stored at the last use. */
import { type Grant, type GrantStateFacts, grantState } from './grant.ts';

/** Seconds throughout; the bounds are in policies/schema.ts. */
export type Lifetimes = {
  readonly name: string;
  readonly accessTokenLifetimeSeconds: number;
  readonly authorizationCodeLifetimeSeconds: number;
  readonly refreshIdleLifetimeSeconds: number;
  readonly refreshAbsoluteLifetimeSeconds: number;
  /** Absent: a second presentation of a refresh token ends its chain. */
  readonly provenRetrySeconds?: number | undefined;
  /** Absent: a remembered consent has no end. */
  readonly consentLifetimeSeconds?: number | undefined;
};

const after = (instant: Date, seconds: number): number => instant.getTime() + seconds * 1000;

/** Milliseconds since 1970. A shorter lifetime applies immediately; a longer one revives no code. */
export function codeEndsAt(grant: Pick<Grant, 'createdAt' | 'codeEndsAt'>, policy: Lifetimes): number {
  return Math.min(grant.codeEndsAt.getTime(), after(grant.createdAt, policy.authorizationCodeLifetimeSeconds));
}

/** Milliseconds since 1970: min(last use + idle, start + absolute) under today's policy, capped by the stored end. */
export function chainEndsAt(grant: Pick<Grant, 'createdAt' | 'lastUsedAt' | 'chainEndsAt'>, policy: Lifetimes): number {
  const today = nextChainEndsAt(grant, grant.lastUsedAt ?? grant.createdAt, policy);
  return Math.min(today, grant.chainEndsAt?.getTime() ?? Number.POSITIVE_INFINITY);
}

/**
 * Until then, the holder of the key may present the predecessor of the head again. Milliseconds since 1970; null: never. The last use
 * made the head.
 */
export const retryEndsAt = (
  { lastUsedAt }: Pick<Grant, 'lastUsedAt'>,
  { provenRetrySeconds }: Pick<Lifetimes, 'provenRetrySeconds'>,
): number | null =>
  lastUsedAt === null || provenRetrySeconds === undefined ? null : after(lastUsedAt, provenRetrySeconds);

/** The end that a use at `usedAt` gives the chain. Milliseconds since 1970. */
export function nextChainEndsAt(grant: Pick<Grant, 'createdAt'>, usedAt: Date, policy: Lifetimes): number {
  return Math.min(
    after(usedAt, policy.refreshIdleLifetimeSeconds),
    after(grant.createdAt, policy.refreshAbsoluteLifetimeSeconds),
  );
}

/** When the client has to ask again, under today's policy; null: it does not. */
export const consentEndsAt = (
  { grantedAt }: { readonly grantedAt: Date },
  { consentLifetimeSeconds }: Pick<Lifetimes, 'consentLifetimeSeconds'>,
): Date | null => (consentLifetimeSeconds === undefined ? null : new Date(after(grantedAt, consentLifetimeSeconds)));

/** The columns from which a grant's end derives. */
export type GrantTimes = Pick<Grant, 'refreshGeneration' | 'createdAt' | 'lastUsedAt' | 'chainEndsAt' | 'codeEndsAt'>;

/**
 * The end of its client's credential: the code, then the chain. Without a policy: the end that was stored at the last use.
 * @param policy of the client now; null: not found.
 */
export function grantEndsAt(grant: GrantTimes, policy: Lifetimes | null): Date {
  if (grant.refreshGeneration === null) return policy ? new Date(codeEndsAt(grant, policy)) : grant.codeEndsAt;
  return policy ? new Date(chainEndsAt(grant, policy)) : (grant.chainEndsAt ?? grant.codeEndsAt);
}

/** Neither a decision nor time has ended it. */
export const grantIsAlive = (grant: GrantStateFacts & GrantTimes, policy: Lifetimes | null, now: Date): boolean =>
  grantState(grant) === 'active' && now < grantEndsAt(grant, policy);
