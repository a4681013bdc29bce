/** Where one chain is stored: a row of your database, an entry of the session, a file, the key store of a device. */
export type Store = {
  read: () => Promise<Tokens | null>;
  write: (tokens: Tokens | null) => Promise<void>;
  /** Runs `work` while no other process does. Absent: one process has this chain. */
  alone?: <Result>(work: () => Promise<Result>) => Promise<Result>;
};
export type Tokens = { accessToken: string; refreshToken: string; expiresAt: number };

/** @param refresh presents a refresh token; null: the server said `invalid_grant`, so the chain has ended. */
export function tokenKeeper(store: Store, refresh: (refreshToken: string) => Promise<Tokens | null>) {
  const alone = store.alone ?? ((work) => work());
  let running: Promise<string | null> | null = null;

  async function freshAccessToken(): Promise<string | null> {
    const tokens = await store.read();
    if (tokens === null || isFresh(tokens)) return tokens?.accessToken ?? null;
    return alone(async () => {
      // Another process may have refreshed while this one waited.
      const current = await store.read();
      if (current === null || isFresh(current)) return current?.accessToken ?? null;
      const next = await refresh(current.refreshToken);
      // Stored before it is used: the server rejects the old token from now on.
      await store.write(next);
      return next?.accessToken ?? null;
    });
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

/** A minute early: the request that is about to be made takes time too. */
const isFresh = ({ expiresAt }: Tokens): boolean => expiresAt - 60_000 > Date.now();
