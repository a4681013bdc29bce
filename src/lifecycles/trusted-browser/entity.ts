/** A browser that an end-user trusts, and when that ends. */
import type { EndedBy } from '../../../machines/shared/facts.ts';
import { tableOf } from '../../engine/commit.ts';
import type { StoredRow } from '../table.ts';
import type { trustedBrowsers } from './table.ts';

/** One row of `trusted_browsers`. */
export type StoredTrustedBrowser = StoredRow<typeof trustedBrowsers>;

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
