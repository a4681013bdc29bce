/** Signing keys, through the management API. */
import type { Document, Item } from '../../management/client/documents.ts';
import { notInPolicy } from '../failure.ts';
import type { ManagementApi } from './api.ts';
import { isReason, orNull } from './refusals.ts';

export type Key = Item<'/signing-keys'>;
/** `from`: null for a key that is new. */
export type KeyChanged = Document<'POST', '/signing-keys/{alg}/rotations'>['changes'][number];

export function keysAt(api: ManagementApi) {
  const load = async () => (await api.send('GET', '/signing-keys', {})).value;
  /** The keys after the change. The previous list, where the revoked key had signed the only access token. */
  const keysAfter = async (kid: string, before: readonly Key[]): Promise<readonly Key[]> => {
    try {
      return (await load()).items;
    } catch (error) {
      if (!isReason(error, 'invalid_token')) throw error;
      return before.map((key) => (key.kid === kid ? { ...key, ...REVOKED } : key));
    }
  };
  return {
    list: async () => (await load()).items,
    /** @param alg null: every algorithm that the policy names. @throws CommandRefused for one that it does not name. */
    rotate: async (alg: string | null, atOnce: boolean) => {
      const { policy } = await load();
      const wanted = policy.algorithms.filter((one) => alg === null || one === alg);
      if (alg !== null && wanted.length === 0) throw notInPolicy(alg, policy.algorithms);
      const changes: KeyChanged[] = [];
      for (const one of wanted) {
        const asked = { params: { alg: one }, body: { at_once: atOnce } };
        changes.push(...(await api.send('POST', '/signing-keys/{alg}/rotations', asked)).value.changes);
      }
      return { changes, policy };
    },
    /** `changes`: null for an unknown key; empty for a key that had retired. */
    revoke: async (kid: string) => {
      const { items: before, policy } = await load();
      const answered = await orNull(api.send('DELETE', '/signing-keys/{kid}', { params: { kid } }));
      return { changes: answered && changesBetween(before, await keysAfter(kid, before)), policy };
    },
  };
}

const REVOKED = { state: 'retired', reason: 'revocation_requested' } as const;

/** In the order in which one follows from the other: a key is published, the revoked key goes, its successor signs. */
function changesBetween(before: readonly Key[], after: readonly Key[]): readonly KeyChanged[] {
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
