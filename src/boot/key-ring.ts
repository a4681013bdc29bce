/**
 * The signing keys of a running node. Every few seconds it lets the machine decide what is due (any node does; the table decides
 * which node was first), and then reads the table, so that all nodes publish and sign alike.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SigningKeyPolicy } from '../../policies/schema.ts';
import { keyLifetimes } from '../config/key-lifetimes.ts';
import type { KeySource } from '../crypto/key-source.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import {
  type KeyRing,
  makeSigningKey,
  publicKeyOf,
  requireRootSecretOf,
  resealSigningKey,
  type SigningKey,
  type StoredSigningKey,
} from '../crypto/signing-keys.ts';
import { passTime, type SigningKeyPorts } from '../lifecycles/signing-key/lifecycle.ts';
import type { Drizzle } from '../storage/database.ts';
import { inTime } from '../storage/failures.ts';
import {
  isAuthenticKey,
  type ListedSigningKey,
  listSigningKeys,
  replaceKeyMac,
  replacePrivateJwe,
  signingKeyStore,
} from '../storage/signing-keys.ts';
import type { Clock } from '../system/clock.ts';
import { withinTime } from '../system/request-time.ts';

export type SigningParts = {
  readonly db: Drizzle;
  readonly keys: RootKeys;
  readonly source: KeySource;
  readonly clock: Clock;
  readonly policy: () => SigningKeyPolicy;
  readonly logger: Pick<Logger, 'info' | 'error'>;
};

export type Signing = {
  readonly keyRing: KeyRing;
  /** One round; call it every KEY_POLL_SECONDS. Failures are logged, and the node continues with its previous keys. */
  readonly keepKeys: () => Promise<void>;
};

const FORGED_KEYS =
  'rows of signing keys are ignored: their MAC is not from a listed root secret. An attacker or a node of an older version wrote them (UPGRADING.md)';

function divided<Item>(items: readonly Item[], isIn: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isIn), items.filter((item) => !isIn(item))];
}

/** At most once per this time, however many tokens with invented kids arrive. */
const LOOK_AGAIN_AFTER_MILLISECONDS = 1000;

/** @throws RootSecretError when a stored key needs a root secret that is not listed. */
export async function openSigning(parts: SigningParts): Promise<Signing> {
  const { db, keys, source, clock } = parts;
  const macs = rowMacs(keys);
  let reported = '';
  /** A key that was not made here is neither used nor published. */
  const authenticKeys = async () => {
    const [ours, others] = divided(await listSigningKeys(db), (key) => isAuthenticKey(key, macs));
    const kids = others.filter(({ state }) => state !== 'retired').map(({ kid }) => kid);
    if (kids.length > 0 && kids.join() !== reported) parts.logger.error({ kids, alarm: true }, FORGED_KEYS);
    reported = kids.join();
    return ours;
  };
  for (const key of await listSigningKeys(db)) requireRootSecretOf(keys, key);
  await source.check();
  // After a rotation of the root secret. Nodes that still list the old secret first can open the result too, since they list both.
  for (const key of await authenticKeys()) {
    if (key.mac !== null && !macs.isOfNewest(key.mac)) await replaceKeyMac(db, key, macs);
  }
  await advance(parts);
  for (const { kid, privateJwe, ...key } of await authenticKeys()) {
    if (privateJwe === null) continue;
    const resealed = await resealSigningKey(keys, { ...key, kid, privateJwe });
    if (resealed !== null) await replacePrivateJwe(db, kid, privateJwe, resealed);
  }
  let ring = await ringOf(source, await authenticKeys(), null);
  const logFailure = (message: string) => (error: unknown) => parts.logger.error({ err: error }, message);
  // One read after the other, so that an older result never replaces a newer one.
  let following = Promise.resolve();
  const follow = () => {
    const read = async () => {
      const stored = await authenticKeys();
      ring = await ringOf(source, stored, ring);
      await source
        .destroyErased(stored)
        .catch(logFailure('erased signing keys are not destroyed yet; the next round retries'));
    };
    following = following
      .then(read)
      .catch(logFailure('the signing keys cannot be read; this node keeps its current keys'));
    return following;
  };
  const round = async () => {
    await advance(parts).catch(logFailure('the rotation of signing keys failed; the next round retries'));
    await follow();
  };
  let running: Promise<void> | null = null;
  let looking: Promise<void> | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  // Monotonic: only differences matter here.
  const elapsed = () => clock.fixedNow()?.getTime() ?? performance.now();
  return {
    keyRing: {
      signerOf: (alg) => {
        const signer = ring.signers.get(alg);
        if (!signer) throw new Error(`No key signs with ${alg}.`);
        return signer;
      },
      published: () => ring.published,
      verifierOf: (kid) => ring.verifiers.get(kid) ?? null,
      lookAgain: () => {
        if (looking === null && elapsed() - lookedAt < LOOK_AGAIN_AFTER_MILLISECONDS) return Promise.resolve();
        // Several requests wait for it: none of them may end it for the others.
        looking ??= withinTime(null, follow).finally(() => {
          looking = null;
          lookedAt = elapsed();
        });
        return inTime(looking, false);
      },
    },
    // While a round waits for a slow database, no second round starts.
    keepKeys: () => {
      running ??= round().finally(() => {
        running = null;
      });
      return running;
    },
  };
}

export const keyDeps = ({ db, keys, source, clock, policy }: Omit<SigningParts, 'logger'>): SigningKeyPorts => ({
  store: signingKeyStore(db, clock, rowMacs(keys)),
  sleep: (milliseconds) => sleep(milliseconds),
  createKey: source.make,
  policy: () => ({ algorithms: policy().algorithms, lifetimes: keyLifetimes(policy()) }),
});

/** As a server without an HSM makes them. */
export const keysMadeHere =
  (keys: RootKeys): SigningKeyPorts['createKey'] =>
  (alg) =>
    makeSigningKey(keys, alg);

async function advance(parts: SigningParts): Promise<void> {
  for (const { machine: _, generation: __, signingKeyId: ___, ...change } of await passTime(keyDeps(parts))) {
    parts.logger.info(change, 'signing key');
  }
}

type Ring = {
  /** Its keys and their states, to see whether anything changed. */
  readonly contents: string;
  readonly signers: ReadonlyMap<string, SigningKey>;
  readonly published: ReturnType<KeyRing['published']>;
  readonly verifiers: ReadonlyMap<string, NonNullable<ReturnType<KeyRing['verifierOf']>>>;
};

async function ringOf(source: KeySource, stored: readonly ListedSigningKey[], before: Ring | null): Promise<Ring> {
  const accepted = stored.filter(({ state }) => state !== 'retired');
  const contents = accepted.map(({ kid, state }) => `${kid} ${state}`).join();
  if (before?.contents === contents) return before;
  const signers = await Promise.all(
    accepted.flatMap(({ state, privateJwe, ...key }) =>
      state === 'signing' && privateJwe !== null ? signerOf(source, { ...key, privateJwe }, before) : [],
    ),
  );
  return {
    contents,
    signers: new Map(signers.map((key) => [key.alg, key])),
    published: accepted.map(({ publicJwk }) => publicJwk),
    verifiers: new Map(accepted.map(({ kid, alg, publicJwk }) => [kid, { alg, publicKey: publicKeyOf(publicJwk) }])),
  };
}

const signerOf = async (source: KeySource, stored: StoredSigningKey, before: Ring | null) => {
  const known = before?.signers.get(stored.alg);
  return known?.kid === stored.kid ? known : source.open(stored);
};
