/** Where one chain is stored: a row of your database, an entry of the session, the key store of a device. */
export type Store = {
  read: () => Promise<Tokens | null>;
  write: (tokens: Tokens | null) => Promise<void>;
};
export type Tokens = { accessToken: string; refreshToken: string; expiresAt: number };

/** @param refresh presents a refresh token; null: the server said `invalid_grant`, so the chain has ended. */
export function tokenKeeper(store: Store, refresh: (refreshToken: string) => Promise<Tokens | null>) {
  let running: Promise<string | null> | null = null;

  async function freshAccessToken(): Promise<string | null> {
    const tokens = await store.read();
    // A minute early: the request that is about to be made takes time too.
    if (tokens === null || tokens.expiresAt - 60_000 > Date.now()) return tokens?.accessToken ?? null;
    const next = await refresh(tokens.refreshToken);
    // Stored before it is used: the old token is worth nothing any more.
    await store.write(next);
    return next?.accessToken ?? null;
  }

  return {
    /** @returns null: send the end-user to sign in. Concurrent callers share one refresh. */
    accessToken: (): Promise<string | null> => {
      running ??= freshAccessToken().finally(() => {
        running = null;
      });
      return running;
    },
  };
}
