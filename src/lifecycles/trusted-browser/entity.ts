/** A browser that an end-user trusts, and when that ends. */
import type { EndedBy } from '../../../machines/shared/facts.ts';
import type { TrustedBrowserState } from '../../../machines/trusted-browser/facts.ts';
import { tableOf } from '../../engine/commit.ts';
import type { Bytes } from '../../model/grant.ts';

/** One row of `trusted_browsers`. */
export type StoredTrustedBrowser = {
  /** The public name: in lists and forms. */
  readonly id: string;
  readonly userId: string;
  readonly state: TrustedBrowserState;
  /** SHA-256 of the secret in the cookie; null: dropped. */
  readonly secretHash: Bytes | null;
  readonly userEpoch: bigint;
  readonly serverEpoch: bigint;
  /** The passkey or authenticator app that was proven. */
  readonly factorId: string;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  /** As the policy was when it began. */
  readonly endsAt: Date;
  readonly lastUsedAt: Date | null;
  readonly endedAt: Date | null;
};

/** With today's epochs beside those from the beginning. */
export type TrustedBrowser = StoredTrustedBrowser & {
  /** Null when the user is disabled. */
  readonly liveUserEpoch: bigint | null;
  readonly liveServerEpoch: bigint;
};

export const TRUSTED_BROWSERS = tableOf<StoredTrustedBrowser>('trustedBrowsers');

export function trustEndedBy(row: TrustedBrowser): EndedBy {
  if (row.liveUserEpoch !== row.userEpoch) return 'user';
  return row.liveServerEpoch === row.serverEpoch ? null : 'server';
}

/** Milliseconds since 1970: under the current policy, but never later than the stored end. */
export const trustEndsAt = (
  { createdAt, endsAt }: Pick<StoredTrustedBrowser, 'createdAt' | 'endsAt'>,
  lifetimeSeconds: number,
): number => Math.min(endsAt.getTime(), createdAt.getTime() + lifetimeSeconds * 1000);
