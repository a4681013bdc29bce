/** The delay of a sign-in after earlier failures (docs/decisions/0036). Pure. */
import type { SignInPolicy } from '../../policies/schema.ts';

export type Failures = {
  readonly failures: number;
  /** Since the last failure. */
  readonly secondsSince: number;
  /** Until the server forgets them. */
  readonly secondsLeft: number;
};

export const NO_FAILURES: Failures = { failures: 0, secondsSince: Number.POSITIVE_INFINITY, secondsLeft: 0 };

/** Every user mistypes a password now and then. */
const FREE_FAILURES = 2;

type Limits = Pick<
  SignInPolicy,
  'failureWindowSeconds' | 'failuresPerAccount' | 'failuresPerAccountAndAddress' | 'failuresPerAddress'
>;

/**
 * For one address: 2 s after the third failure, doubled by each further failure. From the limit on, the whole window.
 */
export function delayAfter(failures: number, { failuresPerAccountAndAddress: limit, failureWindowSeconds }: Limits) {
  if (failures >= limit) return failureWindowSeconds;
  return failures <= FREE_FAILURES ? 0 : Math.min(failureWindowSeconds, 2 ** (failures - FREE_FAILURES));
}

/** For all addresses together: 1 s at the limit, doubled by each further failure, up to the whole window. */
const delayOver = (failures: number, limit: number, windowSeconds: number): number =>
  failures < limit ? 0 : Math.min(windowSeconds, 2 ** Math.min(failures - limit, 30));

/** A trusted device waits for its own failures alone. @returns seconds. 0: no wait. */
export const waitOfKnownDevice = (own: Failures, limits: Limits): number =>
  Math.max(0, delayAfter(own.failures, limits) - own.secondsSince);

/**
 * An address without a failure at this account never waits. An address with failures waits for them. It waits longer
 * while the account has many failures from all addresses, or the address has many at all accounts. The wait counts from
 * the address's own last failure, so no other address prolongs it.
 * @returns seconds. 0: no wait.
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
 * Of the networks that contain a caller, the one nearest to its limit, or furthest beyond it. Its failures are scaled,
 * as if its limit were that of an address.
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

/** The failures of one sender, which two rows count. */
export const together = (one: Failures, other: Failures): Failures => ({
  failures: one.failures + other.failures,
  secondsSince: Math.min(one.secondsSince, other.secondsSince),
  secondsLeft: Math.max(one.secondsLeft, other.secondsLeft),
});
