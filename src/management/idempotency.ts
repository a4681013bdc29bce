/**
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): the ids and secrets that a POST creates are derived from the key and
 * its sender. So a repeated request creates the same resource, also after a lost response, and the server stores no responses
 * (docs/decisions/0034).
 */
import { hmacSha256, sha256 } from '../crypto/digest.ts';
import { type Random, uuidOf } from '../crypto/random.ts';
import type { RootKey } from '../crypto/root-secret.ts';
import { idempotencyKeyStore } from '../storage/idempotency-keys.ts';
import type { ManagementDeps } from './deps.ts';
import { type Problem, problem } from './problem.ts';
import type { Me } from './who.ts';

/** Ids and secrets of what is created. */
export type Makes = Random & {
  /** From an Idempotency-Key: the same request makes the same again. */
  readonly isDerived: boolean;
  /** The same request was here before, with the same key. */
  readonly isRepeated: boolean;
  /** A previous request created the resource. A resource that is gone since was deleted, and must not come back. */
  readonly wasCarriedOut: boolean;
  /** Call it after the creation of the resource. @throws StoreUnavailable */
  readonly carryOut: () => Promise<void>;
};

/** RFC 8941 strings have quotes; many clients send the bare text. */
export const IDEMPOTENCY_KEY = /^(?:"[\x20\x21\x23-\x5b\x5d-\x7e]{1,255}"|[\x21\x23-\x5b\x5d-\x7e]{1,255})$/;
const KEPT_SECONDS = 86_400;

export const freshlyMade = (random: Random): Makes => ({
  ...random,
  isDerived: false,
  isRepeated: false,
  wasCarriedOut: false,
  carryOut: async () => {},
});

/** @param request method, address and body, which the key identifies. @throws StoreUnavailable */
export async function makesFor(
  { db, clock, keys, random }: ManagementDeps,
  me: Me,
  key: string | readonly string[] | undefined,
  request: readonly string[],
): Promise<Makes | Problem> {
  if (key === undefined) return freshlyMade(random);
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) return MALFORMED;
  const name = sha256(JSON.stringify([me.kind, me.id, key.replaceAll('"', '')]));
  const requestHash = sha256(JSON.stringify(request));
  const store = idempotencyKeyStore(db, clock);
  const kept = await store.claim({
    name,
    requestHash,
    rootKeyId: keys.first.id,
    salt: random.bytes(16),
    seconds: KEPT_SECONDS,
  });
  if (!Buffer.from(kept.requestHash).equals(requestHash)) return REUSED;
  const root = keys.byId.get(kept.rootKeyId);
  if (!root) return REUSED;
  const { isNew, carriedOut } = kept;
  return {
    ...derivedFrom(root, kept.salt),
    isDerived: true,
    isRepeated: !isNew,
    wasCarriedOut: carriedOut,
    carryOut: () => (carriedOut ? Promise.resolve() : store.carryOut(name)),
  };
}

/** A digest for each length that is asked for: 32 bytes at most. */
function derivedFrom(root: RootKey, salt: Buffer): Random {
  const bytes = (size: number) => hmacSha256(root.key('idempotency'), String(size), '\n', salt).subarray(0, size);
  return { bytes, uuid: () => uuidOf(bytes(16)) };
}

const MALFORMED = problem('invalid_idempotency_key', 'Expected 1 to 255 printable characters. Nothing was changed.');
/** For a request that made something which is there no more. */
export const GONE_SINCE = problem(
  'changed_meanwhile',
  'This request was carried out before, and what it made was taken away since. Send another Idempotency-Key to make another. Nothing was changed.',
);
const REUSED = problem(
  'idempotency_key_reused',
  'The key was sent with another request in the last day. Send a key of its own with each request. Nothing was changed.',
);
