/** The lifetimes of signing keys: from signing-keys.yaml, and computed where a configured value could be too low. */
import { KEY_POLL_SECONDS, MAX_TOKEN_SECONDS, type SigningKeyPolicy } from '../../policies/schema.ts';
import type { KeyLifetimes } from '../model/signing-key.ts';

/** For clock skew, and for nodes that still sign with their old key after a failed poll. */
const MARGIN_SECONDS = 5 * 60;

export const keyLifetimes = (policy: SigningKeyPolicy): KeyLifetimes => ({
  publishedBeforeSigningSeconds: policy.publishedBeforeSigningSeconds,
  signingLifetimeSeconds: policy.signingLifetimeSeconds,
  // A few polls early, so that the successor is ready when the signer retires.
  successorLeadSeconds: policy.publishedBeforeSigningSeconds + 6 * KEY_POLL_SECONDS,
  // Until the last node learns that the key has stopped, it may sign tokens with it.
  retiringSeconds: MAX_TOKEN_SECONDS + KEY_POLL_SECONDS + MARGIN_SECONDS,
});
