/**
 * The browser whose request is being carried out: a notice about what it does is in its language where the account names none, and a
 * sign-in in a browser that the account knows is no news. Only mails and the ledger ask for it; nothing is decided by it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type ActingBrowser = {
  /** The best first. Read when there is a mail to write. */
  readonly languages: () => Promise<readonly string[]>;
  /** By which the browser is known to accounts, as sent; null: none was. */
  readonly deviceCookie: string | null;
  /** From where it came, as far as proxies are trusted. */
  readonly address: string;
};

const storage = new AsyncLocalStorage<ActingBrowser>();

export const actingIn = (browser: ActingBrowser, work: () => void): void => storage.run(browser, work);

/** Null: nobody acts in a browser, but an administrator through the management API, or the server by itself. */
export const actingBrowser = (): ActingBrowser | null => storage.getStore() ?? null;
