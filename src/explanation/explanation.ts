/**
 * The life of an authorization: its history, whether it is active, the reason if not, and the place of a token in it.
 * Pure.
 */

import { chainPosition, type Grant, grantEndReason, grantState, sameBytes } from '../model/grant.ts';
import { grantEndsAt, type Lifetimes } from '../model/lifetimes.ts';
import type { LedgerLine } from '../storage/grant-life.ts';
import { ADVICE, type Advice, type EndReason } from './advice.ts';
import type { GivenCredential } from './presented.ts';

export type StoredLife = {
  readonly now: Date;
  readonly grant: (Grant & { readonly revokedAt: Date | null }) | null;
  readonly lines: readonly LedgerLine[];
  readonly earlierLines: number;
};

export type Life =
  /**
   * `what`: the credential that its client can use next. `end`: the reason for which that credential ends without
   * further use.
   */
  | { readonly kind: 'active'; readonly what: 'code' | 'chain'; readonly until: Date; readonly end: EndReason }
  | {
      readonly kind: 'ended';
      readonly reason: EndReason | null;
      /** Null: the reason is a raised epoch, which has no date, or the row no longer exists. */
      readonly since: Date | null;
      readonly advice: Advice | null;
    };

export type CredentialPlace =
  | { readonly kind: 'current' | 'not_the_code' | 'code_used' | 'code_unused' }
  /** `behind`: the number of rotations since. `mayRetry`: the policy has a retry for holders of a key. */
  | { readonly kind: 'used'; readonly behind: bigint; readonly mayRetry: boolean }
  | { readonly kind: 'ahead' }
  | { readonly kind: 'access_token'; readonly expiresAt: Date; readonly expired: boolean }
  /** The row no longer exists, so the place is unknown. */
  | { readonly kind: 'unknown' };

export type Explanation = {
  readonly life: Life;
  /** Null: the input was a grant id. */
  readonly place: CredentialPlace | null;
  readonly events: readonly LedgerLine[];
  /** The number of ledger entries that the list omits. */
  readonly earlierLines: number;
  /** The beginning is missing: retention limits the age of ledger entries. */
  readonly isCut: boolean;
};

/** @param lifetimes of the client's current policy. Null: the policy was not found. */
export function explanationOf(
  stored: StoredLife,
  credential: GivenCredential,
  lifetimes: Lifetimes | null,
): Explanation {
  const { grant, lines, earlierLines, now } = stored;
  return {
    life: grant ? lifeOf(grant, lifetimes, now) : lifeFromLedger(lines),
    place: placeOfCredential(grant, credential, lifetimes, now),
    events: lines,
    earlierLines,
    isCut: earlierLines === 0 && !beginsWithApproval(lines),
  };
}

const beginsWithApproval = (lines: readonly LedgerLine[]) => lines[0]?.to === 'approved';

/**
 * The state of a stored grant, and its reason. @param lifetimes of the client's current policy. Null: the policy was
 * not found.
 */
export function lifeOf(grant: NonNullable<StoredLife['grant']>, lifetimes: Lifetimes | null, now: Date): Life {
  if (grantState(grant) === 'revoked') return over(knownReason(grantEndReason(grant)), grant.revokedAt);
  const end = endOf(grant, lifetimes);
  if (now < end.until) return { kind: 'active', ...end };
  return over(end.end, end.until);
}

const over = (reason: EndReason | null, since: Date | null): Life => ({
  kind: 'ended',
  reason,
  since,
  advice: reason && ADVICE[reason],
});

const knownReason = (reason: string | null): EndReason | null =>
  reason !== null && Object.hasOwn(ADVICE, reason) ? (reason as EndReason) : null;

/** Without a policy: the end that the last use stored. */
function endOf(grant: Grant, lifetimes: Lifetimes | null): Omit<Extract<Life, { kind: 'active' }>, 'kind'> {
  const until = grantEndsAt(grant, lifetimes);
  if (grant.refreshGeneration === null) return { what: 'code', until, end: 'authorization_code_expired' };
  const absolute = lifetimes && grant.createdAt.getTime() + lifetimes.refreshAbsoluteLifetimeSeconds * 1000;
  return { what: 'chain', until, end: until.getTime() === absolute ? 'absolute_end' : 'idle_end' };
}

/** The server deletes rows an hour after the end of their chain. Ledger entries stay longer. */
function lifeFromLedger(lines: readonly LedgerLine[]): Life {
  const last = lines.findLast(({ machine, to }) => machine === 'grant' && to === 'revoked');
  return over(knownReason(last?.reason ?? null), last?.at ?? null);
}

function placeOfCredential(
  grant: Grant | null,
  credential: GivenCredential,
  lifetimes: Lifetimes | null,
  now: Date,
): CredentialPlace | null {
  switch (credential.kind) {
    case 'grant_id':
    case 'nothing':
    case 'own_token':
      return null;
    case 'access_token':
      return { kind: 'access_token', expiresAt: credential.expiresAt, expired: now >= credential.expiresAt };
    case 'authorization_code':
      if (!grant) return { kind: 'unknown' };
      if (!sameBytes(grant.codeHash, credential.secretHash)) return { kind: 'not_the_code' };
      return { kind: grant.refreshGeneration === null ? 'code_unused' : 'code_used' };
    case 'refresh_token': {
      if (!grant) return { kind: 'unknown' };
      if (chainPosition(grant, credential) === 'ahead') return { kind: 'ahead' };
      const behind = (grant.refreshGeneration ?? 0n) - credential.generation;
      const mayRetry = lifetimes?.provenRetrySeconds !== undefined;
      return behind === 0n ? { kind: 'current' } : { kind: 'used', behind, mayRetry };
    }
  }
}
