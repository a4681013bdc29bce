/** What is presented by whoever holds it and says it right; wrong presentations change one part of it. */
import type { Present } from '../../engine/present.ts';
import { CHALLENGE, CLIENT, REDIRECT_URI } from './beginning.ts';
import type { Minted } from './system.ts';
import type { Token } from './world.ts';

export const RIGHT_CODE = {
  clientId: CLIENT.clientId,
  redirectUri: REDIRECT_URI,
  challengeOfVerifier: CHALLENGE,
  resources: null,
};
export const RIGHT_TOKEN = { clientId: CLIENT.clientId, scope: null, resources: null };

/** Steps are answered by whoever walks; nothing is loaded behind their back. */
export const WAYS = {
  reload: () => Promise.reject(new Error('whoever walks answers the steps')),
  mint: (next: Present['grant'], now: Date): Minted => ({
    generation: next.refreshGeneration ?? -1n,
    nonce: next.refreshNonce ?? new Uint8Array(16),
    mintedAt: now.getTime(),
    scope: next.scope,
    resources: next.resources,
  }),
};

export const placeOf = ({ generation, nonce }: Token) => ({ generation, nonce: nonceBytes(nonce) });

export const nonceBytes = (nonce: number): Uint8Array => NONCES[nonce] ?? new Uint8Array(16).fill(nonce);
const NONCES = Array.from({ length: 32 }, (_, nonce) => new Uint8Array(16).fill(nonce));
