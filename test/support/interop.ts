/** The common parts of interoperability tests: the server on a port, an end-user who approves, and clients for independent libraries. */
import { afterAll, beforeAll } from 'vitest';
import { goThrough, makeClient, makeUser, type TestClient, type TestUser } from './actors.ts';
import type { TestApp, TestAppOptions } from './app.ts';
import { Browser, formOf } from './browser.ts';
import { testClock } from './clock.ts';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { freePort, openTestAppAt } from './listening.ts';

export type Judged = {
  readonly test: TestApp;
  readonly confidential: TestClient;
  readonly publicClient: TestClient;
  readonly user: TestUser;
  /** The end-user signs in and approves. @returns the URL of the redirect to the client. */
  readonly approve: (authorizationUrl: URL, decision?: 'approve' | 'deny') => Promise<URL>;
};

/** @param options with the path of the issuer, such as /tenant. Default: none. */
export function judged({ path = '', ...options }: TestAppOptions & { readonly path?: string } = {}): {
  readonly current: Judged;
} {
  let opened: TestDatabase;
  const holder = {} as { current: Judged };
  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    // The libraries use the real time.
    const port = await freePort();
    const issuer = `http://localhost:${port}${path}`;
    const test = await openTestAppAt(port, opened.database, { clock: testClock(new Date()), issuer, ...options });
    const user = await makeUser(test);
    const grantTypes = ['authorization_code', 'refresh_token'];
    holder.current = {
      test,
      user,
      confidential: await makeClient(test),
      publicClient: await makeClient(test, { tokenEndpointAuthMethod: 'none', grantTypes }),
      approve: async (url, decision = 'approve') => {
        const { url: back } = await goThrough(new Browser(test.app), `${url.pathname}${url.search}`, user, decision);
        return new URL(back);
      },
    };
  });
  afterAll(async () => {
    await holder.current.test.app.close();
    await opened.close();
  });
  return holder;
}

/** The form that the browser posts to the client with `response_mode=form_post`. */
export function formPosted(page: string): Request {
  const { action, fields } = formOf(page);
  return new Request(action, { method: 'POST', body: new URLSearchParams(fields) });
}
