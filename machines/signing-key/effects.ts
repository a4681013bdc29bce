import type { KeyRetirementReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const signingKeyEffects = {
  /** Send `successorNeeded` to a fresh key of the same algorithm. */
  createSuccessor(): void {},
  /** Send `signerStopped` to the waiting key, so that an algorithm which the policy names always has a signer. */
  startSuccessor(): void {},
  /** From now on the successor takes over as soon as it has been published for long enough. */
  hastenHandover(): void {},
  /** Store the key and publish its public half. */
  publish(): void {},
  /** Sign all tokens from now on. */
  beginSigning(): void {},
  /** Stop signing: erase the private half and stay published. */
  stopSigning(): void {},
  /** Erase the private half and leave the JWKS, for good. */
  retire(_: unknown, _params: { reason: KeyRetirementReason }): void {},
};

export const retire = (reason: KeyRetirementReason) => ({ type: 'retire', params: { reason } }) as const;
