/** Signing keys, through the management API. */
import { notInPolicy } from '../failure.ts';
import type { KeyChanged, KeyShown, Keys } from '../ports.ts';
import type { Document, ManagementApi } from './api.ts';
import { isReason, orNull } from './refusals.ts';

export function remoteKeys(api: ManagementApi): Keys {
  const load = async () => {
    const { document } = await api.send('GET', ['signing-keys']);
    const items: Document[] = document.items;
    return { keys: items.map(keyIn), policy: document.policy };
  };
  /** What is known of them where the revoked key had signed the only access token. */
  const keysAfter = async (kid: string, before: readonly KeyShown[]): Promise<readonly KeyShown[]> => {
    try {
      return (await load()).keys;
    } catch (error) {
      if (!isReason(error, 'invalid_token')) throw error;
      return before.map((key) => (key.kid === kid ? { ...key, ...REVOKED } : key));
    }
  };
  return {
    list: async () => ({ now: new Date(), keys: (await load()).keys }),
    rotate: async (alg, atOnce) => {
      const { policy } = await load();
      const wanted: readonly string[] = policy.algorithms;
      if (alg !== null && !wanted.includes(alg)) throw notInPolicy(alg, wanted);
      const changes: KeyChanged[] = [];
      for (const one of alg === null ? wanted : [alg]) {
        const { document } = await api.send('POST', ['signing-keys', one, 'rotations'], { body: { at_once: atOnce } });
        changes.push(...document.changes);
      }
      return { changes, publishedBeforeSigningSeconds: policy.published_before_signing_seconds };
    },
    revoke: async (kid) => {
      const { keys: before, policy } = await load();
      const answered = await orNull(api.send('DELETE', ['signing-keys', kid]));
      if (answered === null) return { changes: null, jwksMaxAgeSeconds: policy.jwks_max_age_seconds };
      const changes = changesBetween(before, await keysAfter(kid, before));
      return { changes, jwksMaxAgeSeconds: policy.jwks_max_age_seconds };
    },
  };
}

const REVOKED = { state: 'retired', reason: 'revocation_requested' } as const;

const keyIn = ({ kid, alg, state, since, next, reason }: Document): KeyShown => ({
  kid,
  alg,
  state,
  since: new Date(since),
  next: next && { at: new Date(next.at), what: next.what },
  reason,
});

/** In the order in which one follows from the other: a key is published, the revoked key goes, its successor signs. */
function changesBetween(before: readonly KeyShown[], after: readonly KeyShown[]): readonly KeyChanged[] {
  const stateBefore = new Map(before.map(({ kid, state }) => [kid, state]));
  const made = after.filter(({ kid }) => !stateBefore.has(kid));
  const moved = after.filter(({ kid, state }) => (stateBefore.get(kid) ?? 'published') !== state);
  const ended = moved.filter(({ state }) => state !== 'signing');
  const began = moved.filter(({ state }) => state === 'signing');
  return [
    ...made.map(({ kid, alg }) => ({ kid, alg, from: null, to: 'published', reason: null })),
    ...[...ended, ...began].map(({ kid, alg, state, reason }) => ({
      kid,
      alg,
      from: stateBefore.get(kid) ?? 'published',
      to: state,
      reason,
    })),
  ];
}
