/** The end-user ends what a client may do: all of it, or one chain; never a chain of another end-user. */
import { describe, expect, it } from 'vitest';
import { endChain, endPermission, submitEndPermission } from '../../../src/protocol/permissions.ts';
import { fakeGrantStore } from '../lifecycles/fake-grant-store.ts';
import { COOKIE, SID, session, sessionsInMemory, withChain } from './memory.ts';
import { at, client, configuration } from './ports.ts';

const GRANT = withChain();
const { userId, clientId, id: grantId } = GRANT;

/** @param own the grants of the end-user that the store lists. */
function opened(own: readonly string[] = [grantId]) {
  const store = fakeGrantStore(GRANT, client(), at(10));
  const order: string[] = [];
  const commit: typeof store.commit = (asked) => {
    order.push(asked.kind);
    return store.commit(asked);
  };
  const deps = {
    configuration: () => configuration(),
    sleep: async () => undefined,
    sessions: sessionsInMemory([session({ userId })]).sessions,
    store: { load: store.load, commit },
    permissions: {
      load: () => Promise.reject(new Error('not asked')),
      grantIds: async (...asked: string[]) => (asked.join() === `${userId},${clientId}` ? own : []),
      forgetConsents: async () => order.push('forgetConsents'),
    },
  };
  return { deps: deps as never, store, order };
}

describe('one chain', () => {
  it('ends for its end-user, once', async () => {
    const { deps, store } = opened();
    expect(await endChain(deps, userId, { clientId, grantId })).toBe(true);
    expect(store.row.state).toBe('revoked');
    expect(await endChain(deps, userId, { clientId, grantId })).toBe(false);
  });

  it('of another end-user stays', async () => {
    const { deps, store, order } = opened(['00000000-0000-4000-8000-00000000000f']);
    expect(await endChain(deps, userId, { clientId, grantId })).toBe(false);
    expect([store.row.state, order]).toEqual(['active', []]);
  });
});

describe('all that a client may do', () => {
  it('ends after the consents are forgotten, and the revoked grants are counted', async () => {
    const { deps, order } = opened([grantId, grantId]);
    expect(await endPermission(deps, userId, clientId)).toBe(1);
    expect(order).toEqual(['forgetConsents', 'revoke']);
  });

  const form = { clientId, cookie: COOKIE, isOurForm: (asked: string) => asked === `permissions of ${SID}` };
  it.each<[string, object, object]>([
    ['without a session', { cookie: null }, { kind: 'signInRequired' }],
    ['without a client', { clientId: null }, { kind: 'formRefused' }],
    ['with a form of another purpose', { isOurForm: () => false }, { kind: 'formRefused' }],
    ['with its form', {}, { kind: 'ended', clientId, userId, grants: 1 }],
  ])('is asked for %s', async (_, change, expected) => {
    const { deps, store } = opened();
    expect(await submitEndPermission(deps, { ...form, ...change })).toEqual(expected);
    expect(store.row.state).toBe('grants' in expected ? 'revoked' : 'active');
  });
});
