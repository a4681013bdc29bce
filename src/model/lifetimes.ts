/** When codes and chains end: under today's policy, but never later than the end that was stored at the last use. */
import type { Grant } from './grant.ts';

/** Seconds throughout; the bounds are in policies/schema.ts. */
export type Lifetimes = {
  readonly name: string;
  readonly accessTokenLifetimeSeconds: number;
  readonly authorizationCodeLifetimeSeconds: number;
  readonly refreshIdleLifetimeSeconds: number;
  readonly refreshAbsoluteLifetimeSeconds: number;
};

const after = (instant: Date, seconds: number): number => instant.getTime() + seconds * 1000;

/** Milliseconds since 1970. Shortening the lifetime acts at once; lengthening it revives no code. */
export function codeEndsAt(grant: Pick<Grant, 'createdAt' | 'codeEndsAt'>, policy: Lifetimes): number {
  return Math.min(grant.codeEndsAt.getTime(), after(grant.createdAt, policy.authorizationCodeLifetimeSeconds));
}

/** Milliseconds since 1970: min(last use + idle, start + absolute) under today's policy, capped by the stored end. */
export function chainEndsAt(grant: Pick<Grant, 'createdAt' | 'lastUsedAt' | 'chainEndsAt'>, policy: Lifetimes): number {
  const today = nextChainEndsAt(grant, grant.lastUsedAt ?? grant.createdAt, policy);
  return Math.min(today, grant.chainEndsAt?.getTime() ?? Number.POSITIVE_INFINITY);
}

/** The end that a use at `usedAt` gives the chain. Milliseconds since 1970. */
export function nextChainEndsAt(grant: Pick<Grant, 'createdAt'>, usedAt: Date, policy: Lifetimes): number {
  return Math.min(
    after(usedAt, policy.refreshIdleLifetimeSeconds),
    after(grant.createdAt, policy.refreshAbsoluteLifetimeSeconds),
  );
}
