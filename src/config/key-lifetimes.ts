/** What signing-keys.yaml comes to, with what is computed so that nobody can set it too low. */
import { KEY_POLL_SECONDS, MAX_TOKEN_SECONDS, type SigningKeyPolicy } from '../../policies/schema.ts';
import type { KeyLifetimes } from '../model/signing-key.ts';

/** Clocks differ, and a node whose polls fail for a moment goes on signing with the key that it has. */
const MARGIN_SECONDS = 5 * 60;

export const keyLifetimes = (policy: SigningKeyPolicy): KeyLifetimes => ({
  publishedBeforeSigningSeconds: policy.publishedBeforeSigningSeconds,
  signingLifetimeSeconds: policy.signingLifetimeSeconds,
  // A few polls early, so that the successor is ready when the signer's time is over.
  successorLeadSeconds: policy.publishedBeforeSigningSeconds + 6 * KEY_POLL_SECONDS,
  // The last token is signed by the last node to hear that the key has stopped.
  retiringSeconds: MAX_TOKEN_SECONDS + KEY_POLL_SECONDS + MARGIN_SECONDS,
});
