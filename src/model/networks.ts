/**
 * Which networks a caller belongs to, for every limit by address. IPv6 networks are handed out as /64, and a site that holds a /48 has
 * 65,536 of them: with a limit for each /64 alone it would be as many strangers.
 */

/** `times`: the limit of the whole network, as a multiple of the limit of one caller. */
export type Network = { readonly key: string; readonly times: number };

/** Enough for the households and offices that a provider puts into one /48. */
const SITE_TIMES = 16;

const OF_SITE = /^((?:[0-9a-f]{1,4}:){2}[0-9a-f]{1,4}):[0-9a-f]{1,4}::\/64$/;

/** @param caller the key of src/http/address-key.ts. @returns the caller's own network first. */
export function networksOf(caller: string): readonly Network[] {
  const own = { key: caller, times: 1 };
  const site = OF_SITE.exec(caller)?.[1];
  return site === undefined ? [own] : [own, { key: `${site}::/48`, times: SITE_TIMES }];
}

/**
 * @param count counts a request from a network of the caller, whose limit is a multiple of that of one caller. Each network counts,
 * whatever the others answer.
 * @returns seconds until the caller may ask again. Null: no limit is exceeded.
 */
export function firstWaitOf(caller: string, count: (network: string, times: number) => number | null): number | null {
  const waits = networksOf(caller).map(({ key, times }) => count(key, times));
  return waits.find((one) => one !== null) ?? null;
}

/** @param standing of a key after it was counted. @returns seconds until it may ask again. Null: its limit is not exceeded. */
export const waitOf = (standing: { readonly isBeyond: boolean; readonly resetSeconds: number }): number | null =>
  standing.isBeyond ? standing.resetSeconds : null;
