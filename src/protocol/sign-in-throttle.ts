/** How long a sign-in has to wait after failures before it (docs/decisions/0036). Pure. */
import type { SignInPolicy } from '../../policies/schema.ts';

export type Failures = {
  readonly failures: number;
  /** Since the last of them. */
  readonly secondsSince: number;
  /** Until they are forgotten. */
  readonly secondsLeft: number;
};

export const NO_FAILURES: Failures = { failures: 0, secondsSince: Number.POSITIVE_INFINITY, secondsLeft: 0 };

/** Nobody types a password right each time. */
const FREE_FAILURES = 2;

type Limits = Pick<
  SignInPolicy,
  'failureWindowSeconds' | 'failuresPerAccount' | 'failuresPerAccountAndAddress' | 'failuresPerAddress'
>;

/** Of one place: 2 s after the third failure, then twice as long each time; from the limit on, the whole window. */
export function delayAfter(failures: number, { failuresPerAccountAndAddress: limit, failureWindowSeconds }: Limits) {
  if (failures >= limit) return failureWindowSeconds;
  return failures <= FREE_FAILURES ? 0 : Math.min(failureWindowSeconds, 2 ** (failures - FREE_FAILURES));
}

/** Of all places together: 1 s at the limit, then twice as long with each failure, up to the whole window. */
const delayOver = (failures: number, limit: number, windowSeconds: number): number =>
  failures < limit ? 0 : Math.min(windowSeconds, 2 ** Math.min(failures - limit, 30));

/** A browser that is known to the account waits for its own failures alone. @returns seconds; 0: now. */
export const waitOfKnownDevice = (own: Failures, limits: Limits): number =>
  Math.max(0, delayAfter(own.failures, limits) - own.secondsSince);

/**
 * An address that has not failed at this account never waits. An address that has waits for its failures there, and longer while the
 * account has many from everywhere, or the address many everywhere; counted from its own last failure, so that nobody else prolongs it.
 * @returns seconds; 0: now.
 */
export function waitOfAddress(
  { own, ofAddress, ofAccount }: Readonly<Record<'own' | 'ofAddress' | 'ofAccount', Failures>>,
  limits: Limits,
): number {
  if (own.failures === 0) return 0;
  const { failureWindowSeconds: window, failuresPerAccount, failuresPerAddress } = limits;
  const delay = Math.max(
    delayAfter(own.failures, limits),
    delayOver(ofAccount.failures, failuresPerAccount, window),
    delayOver(ofAddress.failures, failuresPerAddress, window),
  );
  return Math.max(0, delay - own.secondsSince);
}

/**
 * Of the networks that a caller belongs to, the one that is nearest to its limit or furthest beyond it: its failures, as many as if its limit
 * were that of an address.
 */
export function ofNetworks(
  networks: readonly (Failures & { readonly times: number })[],
  { failuresPerAddress: limit }: Limits,
): Failures {
  const likeAddresses = networks.map(({ times, failures, ...since }) => ({
    ...since,
    failures: failures - limit * (times - 1),
  }));
  return likeAddresses.reduce((most, one) => (one.failures > most.failures ? one : most), NO_FAILURES);
}

/** The failures of a place that are counted in two rows. */
export const together = (one: Failures, other: Failures): Failures => ({
  failures: one.failures + other.failures,
  secondsSince: Math.min(one.secondsSince, other.secondsSince),
  secondsLeft: Math.max(one.secondsLeft, other.secondsLeft),
});
