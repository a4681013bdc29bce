/**
 * The public keys of the authorization server (RFC 7517). The guard fetches and keeps them, and fetches them again when
 * other keys sign.
 */
import { type CryptoKey, createLocalJWKSet, type JWK, type JWSHeaderParameters } from 'jose';
import { sharedAttempt } from './attempt.ts';
import type { Discovery } from './discovery.ts';
import { type AskForJson, objectOf } from './json-request.ts';

export type KeyTimes = {
  /** The age at which the guard fetches keys again. It trusts a withdrawn key for no longer. */
  readonly maxAgeSeconds: number;
  /** The minimum between two fetches for unknown key ids, which callers can invent. */
  readonly cooldownSeconds: number;
  /** The maximum age of keys while the server is unavailable. */
  readonly staleSeconds: number;
  readonly timeoutMilliseconds: number;
};

export type KeyFinding =
  | { readonly kind: 'found'; readonly key: CryptoKey }
  /** The server has no such key, by its last answer. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable'; readonly detail: string; readonly retryAfterSeconds: number };

export type KeySource = { readonly find: (header: JWSHeaderParameters & { alg: string }) => Promise<KeyFinding> };

type Kept = { readonly pick: ReturnType<typeof createLocalJWKSet>; readonly at: number };

/** The wait after a failed fetch. Until then, the guard answers every request from the present keys. */
const RETRY_SECONDS = 2;
const MAX_KEYS = 100;

/** @param now milliseconds since 1970. */
export function keySource(ask: AskForJson, endpoints: Discovery, times: KeyTimes, now: () => number): KeySource {
  let kept: Kept | null = null;
  let failure: string | null = null;
  let triedAt: number | null = null;

  /** After a clock was set back, the time counts as passed. */
  const within = (instant: number | null, seconds: number): boolean => {
    if (instant === null) return false;
    const elapsed = now() - instant;
    return elapsed >= 0 && elapsed < seconds * 1000;
  };

  const load = async (): Promise<void> => {
    triedAt = now();
    const endpoint = await endpoints.ask('jwks_uri');
    if (endpoint.kind === 'failed') {
      failure = endpoint.detail;
      return;
    }
    const answer = await ask({ url: endpoint.url, method: 'GET', headers: {} }, times.timeoutMilliseconds);
    const keys = answer.kind === 'json' ? signingKeysIn(answer.value) : [];
    if (keys.length === 0) {
      failure = answer.kind === 'failed' ? answer.detail : `GET ${endpoint.url}: there is no key for signatures in it`;
      return;
    }
    kept = { pick: createLocalJWKSet({ keys }), at: now() };
    failure = null;
  };

  /** All callers wait for the same fetch. Never rejects, because there may be no caller. */
  const { run: refresh, isRunning } = sharedAttempt(() =>
    load().catch(() => {
      failure = 'the keys are not readable';
    }),
  );

  const isYounger = (seconds: number) => within(kept?.at ?? null, seconds);
  const mayServe = () => isYounger(Math.max(times.staleSeconds, times.maxAgeSeconds));

  const mayTry = (seconds: number) => isRunning() || !within(triedAt, failure === null ? seconds : RETRY_SECONDS);

  const missing = (): KeyFinding => ({
    kind: 'unavailable',
    detail: failure ?? 'the keys could not be fetched',
    retryAfterSeconds: RETRY_SECONDS,
  });

  return {
    find: async (header) => {
      if (!isYounger(times.maxAgeSeconds) && mayTry(0)) {
        const refreshed = refresh();
        // The first callers to find the keys old wait. After a failed fetch, the old keys serve while the next fetch
        // runs.
        if (failure === null || !mayServe()) await refreshed;
      }
      if (!mayServe()) return missing();
      const key = await pickFrom(kept, header);
      if (key !== null) return { kind: 'found', key };
      if (mayTry(times.cooldownSeconds)) await refresh();
      const newer = await pickFrom(kept, header);
      if (newer !== null) return { kind: 'found', key: newer };
      // The server may know the key, but is unavailable.
      return failure === null ? { kind: 'unknown' } : missing();
    },
  };
}

/** @returns null when the id has no key, several keys, or an invalid key. */
async function pickFrom(kept: Kept | null, header: JWSHeaderParameters & { alg: string }): Promise<CryptoKey | null> {
  if (kept === null) return null;
  try {
    // Only `kid` and `alg`: an untrusted party wrote every other key in the header (jwk, jku, x5u, x5c).
    const { kid, alg } = header;
    return await kept.pick({ alg, ...(kid !== undefined && { kid }) });
  } catch {
    return null;
  }
}

const ASYMMETRIC: ReadonlySet<unknown> = new Set(['EC', 'RSA', 'OKP']);

/** Public keys that have an id and may sign. Skips every other value in the document. */
function signingKeysIn(document: unknown): JWK[] {
  const list = objectOf(document)?.['keys'];
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_KEYS).filter((one: unknown): one is JWK => {
    const key = objectOf(one);
    if (key === null || typeof key['kid'] !== 'string' || !ASYMMETRIC.has(key['kty'])) return false;
    return (key['use'] ?? 'sig') === 'sig';
  });
}
