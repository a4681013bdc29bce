/** The lifetimes of signing keys: from signing-keys.yaml, and computed where a configured value could be too low. */
import { KEY_POLL_SECONDS, MAX_TOKEN_SECONDS, type SigningKeyPolicy } from '../../policies/schema.ts';
import type { KeyLifetimes } from '../model/signing-key.ts';

/** For differing clocks, and for nodes whose polls fail for a moment and that go on signing with their old key. */
const MARGIN_SECONDS = 5 * 60;

export const keyLifetimes = (policy: SigningKeyPolicy): KeyLifetimes => ({
  publishedBeforeSigningSeconds: policy.publishedBeforeSigningSeconds,
  signingLifetimeSeconds: policy.signingLifetimeSeconds,
  // A few polls early, so that the successor is ready when the signer's time is over.
  successorLeadSeconds: policy.publishedBeforeSigningSeconds + 6 * KEY_POLL_SECONDS,
  // Until the last node learns that the key has stopped, it may sign tokens with it.
  retiringSeconds: MAX_TOKEN_SECONDS + KEY_POLL_SECONDS + MARGIN_SECONDS,
});
