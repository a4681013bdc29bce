/** The very file that docs/connecting-a-client.md shows for keeping tokens. */
import { describe, expect, it } from 'vitest';
import type { Store, Tokens } from '../../docs/examples/token-keeper.ts';
import { loadedByNode } from '../support/plain-node.ts';

const { tokenKeeper } = loadedByNode<typeof import('../../docs/examples/token-keeper.ts')>(
  'docs/examples/token-keeper.ts',
);

const old = (expiresAt: number): Tokens => ({ accessToken: 'old', refreshToken: 'r1', expiresAt });
const fresh: Tokens = { accessToken: 'new', refreshToken: 'r2', expiresAt: Date.now() + 900_000 };

function storing(tokens: Tokens | null): Store & { current: Tokens | null } {
  const store = {
    current: tokens,
    read: async () => store.current,
    write: async (next: Tokens | null) => {
      store.current = next;
    },
  };
  return store;
}

describe('the token keeper', () => {
  it('keeps a token that is still valid', async () => {
    const keeper = tokenKeeper(storing(old(Date.now() + 120_000)), async () => expect.fail('refreshed'));
    expect(await keeper.accessToken()).toBe('old');
  });

  it('refreshes once for concurrent callers, and stores before it answers', async () => {
    const store = storing(old(Date.now() + 30_000));
    const presented: string[] = [];
    const keeper = tokenKeeper(store, async (refreshToken) => {
      presented.push(refreshToken);
      return fresh;
    });
    const answers = await Promise.all([1, 2, 3].map(() => keeper.accessToken().then((one) => [one, store.current])));
    expect(answers).toEqual([1, 2, 3].map(() => ['new', fresh]));
    expect(presented).toEqual(['r1']);
    expect(await keeper.accessToken()).toBe('new');
    expect(presented).toEqual(['r1']);
  });

  it('discards a chain that has ended', async () => {
    const store = storing(old(0));
    expect(await tokenKeeper(store, async () => null).accessToken()).toBeNull();
    expect(store.current).toBeNull();
  });

  it('keeps the tokens, and tries again, when the server could not be reached', async () => {
    const store = storing(old(0));
    let tries = 0;
    const keeper = tokenKeeper(store, async () => {
      tries += 1;
      if (tries === 1) throw new Error('503');
      return fresh;
    });
    await expect(keeper.accessToken()).rejects.toThrow('503');
    expect(store.current?.refreshToken).toBe('r1');
    expect(await keeper.accessToken()).toBe('new');
  });
});
