/** Sign-ins beyond the capacity of a node: rejected ones, dropped ones, and priority. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { boundedQueue, type QueueLimits } from '../../../src/system/bounded-queue.ts';
import { authorizeUrl, makeClient, makePkce, makeUser, PASSWORD, type TestClient } from '../../support/actors.ts';
import type { TestApp } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { listen } from '../../support/listening.ts';

const LIMITS: QueueLimits = {
  running: 4,
  waiting: 8,
  waitingPerLine: 6,
  perTicket: 2,
  waitMilliseconds: 2 ** 30,
};

describe('more sign-ins than a node handles', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let client: TestClient;
  let username: string;
  /** No password is hashed before this opens. */
  let gate: PromiseWithResolvers<void>;
  let hashed: number;
  let waiting: number;
  beforeEach(async () => {
    gate = Promise.withResolvers();
    hashed = 0;
    waiting = 0;
    opened = await openTestDatabase(anyDatabase);
    const hashes = boundedQueue({ ...LIMITS, running: 1, perTicket: 1 });
    const attempts = boundedQueue(LIMITS);
    test = await listen(opened.database, {
      change: (deps) => ({
        ...deps,
        signInCapacity: {
          attempts: {
            run: (place, work) => {
              waiting++;
              return attempts.run(place, work).finally(() => waiting--);
            },
          },
          hashes: {
            run: (place, work) =>
              hashes.run(place, async () => {
                await gate.promise;
                hashed++;
                return work();
              }),
          },
        },
      }),
    });
    client = await makeClient(test, { tokenEndpointAuthMethod: 'none', redirectUris: ['http://client.test/cb'] });
    username = (await makeUser(test)).username;
  });
  afterEach(async () => {
    gate.resolve();
    await test.app.close();
    await opened.close();
  });

  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };
  const begin = async (address: string) => {
    const browser = new Browser(test.app, address);
    return { browser, page: await browser.get(authorizeUrl(client, makePkce())) };
  };
  const attempt = async (address: string) => {
    const { browser, page } = await begin(address);
    return browser.submit(page, { username, password: PASSWORD });
  };
  const succeeded = ({ body }: Answer) => body.includes('name="decision"');

  it('give a form two concurrent attempts, and the next after their end', async () => {
    const { browser, page } = await begin('203.0.113.1');
    const submit = () => browser.submit(page, { username, password: PASSWORD });
    const [first, second] = [submit(), submit()];
    await until(() => waiting === 2);
    for (let n = 0; n < 20; n++) expect((await submit()).status).toBe(503);
    // The same browser with another form, and another browser at the same address.
    const again = await browser.get(authorizeUrl(client, makePkce()));
    expect((await browser.submit(again, { username, password: PASSWORD })).status).toBe(503);
    const other = attempt('203.0.113.1');
    await until(() => waiting === 3);
    gate.resolve();
    expect(succeeded(await other)).toBe(true);
    // One of them continues the interaction; the other finds it completed. Both were checked.
    await Promise.all([first, second]);
    expect(hashed).toBe(3);
    const { browser: fresh, page: form } = await begin('203.0.113.1');
    expect(succeeded(await fresh.submit(form, { username, password: PASSWORD }))).toBe(true);
  });

  it('get a page that explains it, the form again, and a Retry-After', async () => {
    const attempts = Array.from({ length: 7 }, () => attempt('203.0.113.2'));
    await until(() => waiting === 7);
    const answer = await attempt('203.0.113.2');
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('2');
    expect(answer.body).toContain('your password was not checked');
    expect(answer.body).toContain(`value="${username}"`);
    expect(answer.body).not.toContain(PASSWORD);
    expect(formOf(answer.body).action).toMatch(/sign-in$/);
    expect(test.logs()).toContain('"reason":"busy"');
    // One address has filled its own queue and no other.
    const other = attempt('203.0.113.3');
    await until(() => waiting === 8);
    gate.resolve();
    expect(succeeded(await other)).toBe(true);
    expect((await Promise.all(attempts)).filter(succeeded)).toHaveLength(7);
  });

  it('drop work whose caller has hung up: no password is hashed for it', async () => {
    const holding = attempt('203.0.113.4');
    await until(() => waiting === 1);
    const hangUp = new AbortController();
    const sent = Array.from({ length: 5 }, async () => {
      const { browser, page } = await begin('127.0.0.1');
      const { action, fields } = formOf(page.body);
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = fetch(new URL(action, test.issuer), {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ ...fields, username, password: PASSWORD }),
        signal: hangUp.signal,
      });
      return answer.then(
        () => 'answered',
        () => 'hung up',
      );
    });
    await until(() => waiting === 6);
    hangUp.abort();
    expect(await Promise.all(sent)).toEqual(Array.from({ length: 5 }, () => 'hung up'));
    await until(() => waiting === 1);
    gate.resolve();
    expect(succeeded(await holding)).toBe(true);
    expect(hashed).toBe(1);
    expect(test.logs()).toContain('"reason":"caller_gone"');
  });

  it('do not delay tokens and UserInfo', async () => {
    const attempts = Array.from({ length: 7 }, () => attempt('203.0.113.5'));
    await until(() => waiting === 7);
    const service = await makeClient(test);
    const credentials = Buffer.from(`${service.clientId}:${service.secret}`).toString('base64');
    const post = (url: string, payload: string) =>
      test.app.inject({
        method: 'POST',
        url,
        headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
        payload,
      });
    const issued = await post('/oauth/token', 'grant_type=client_credentials');
    const { access_token: token } = issued.json<{ access_token: string }>();
    expect((await post('/oauth/introspect', `token=${token}`)).json()).toMatchObject({ active: true });
    gate.resolve();
    await Promise.all(attempts);
  });
});
