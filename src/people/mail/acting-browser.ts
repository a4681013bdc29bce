/**
 * The browser whose request is running. A notice is in its language where the account names none, and a sign-in from a
 * trusted device causes no notice. Only mails and the ledger read it, and it decides nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type ActingBrowser = {
  /** The best first. Read when there is a mail to write. */
  readonly languages: () => Promise<readonly string[]>;
  /** The device cookie, as sent. Null: none. */
  readonly deviceCookie: string | null;
  /** The origin of the request, as far as the server trusts its proxies. */
  readonly address: string;
};

const storage = new AsyncLocalStorage<ActingBrowser>();

export const actingIn = (browser: ActingBrowser, work: () => void): void => storage.run(browser, work);

/** Null: the actor has no browser. It is an administrator through the management API, or the server itself. */
export const actingBrowser = (): ActingBrowser | null => storage.getStore() ?? null;
