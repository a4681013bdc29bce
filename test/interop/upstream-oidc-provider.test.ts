/** Signing in at oidc-provider, which others wrote: an upstream that is no Statehouse. */
import type { Server } from 'node:http';
import { Provider } from 'oidc-provider';
import { expect, it, onTestFinished } from 'vitest';
import { users } from '../../src/storage/schema.ts';
import { type Answer, Browser, formOf } from '../support/browser.ts';
import { testClock } from '../support/clock.ts';
import { anyDatabase } from '../support/database.ts';
import { freePort } from '../support/listening.ts';
import { RemoteBrowser } from '../support/remote-browser.ts';
import { openScene } from '../support/scene.ts';
import { CALLBACK, knowing, pathOf, pressButton, signInPage, upstreamOf, withUpstream } from '../support/upstream.ts';

const SECRET = 'a secret of the two servers, long enough';

it('a user signs in at oidc-provider, through its own pages', async () => {
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'statehouse', client_secret: SECRET, redirect_uris: [CALLBACK] }],
    claims: { profile: ['name', 'preferred_username'], email: ['email', 'email_verified'] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: async () => ({
        sub: id,
        name: 'Ada',
        preferred_username: 'ada',
        email: 'ada@example.com',
        email_verified: true,
      }),
    }),
  });
  const server: Server = provider.listen(port, 'localhost');
  const scene = await openScene(anyDatabase, {
    clock: testClock(new Date()),
    configuration: withUpstream(
      upstreamOf({ issuer, client_id: 'statehouse', admit: { emailDomains: ['example.com'] } }),
    ),
    secretNamed: knowing(SECRET),
  });
  onTestFinished(async () => {
    await scene.close();
    server.closeAllConnections();
    server.close();
  });

  const browser = new Browser(scene.app);
  const away = await pressButton(browser, await signInPage(browser, scene.client));
  const there = new RemoteBrowser(issuer);
  // Its redirects name the origin.
  const goOn = async (answer: Promise<Answer>): Promise<Answer> => {
    const came = await answer;
    return came.url.startsWith(issuer) ? goOn(there.get(pathOf(came.url))) : came;
  };
  const submit = (page: Answer, fields: Readonly<Record<string, string>>) => {
    const form = formOf(page.body);
    const action = form.action.startsWith(issuer) ? pathOf(form.action) : form.action;
    return goOn(there.post(action, { ...form.fields, ...fields }));
  };
  const login = await goOn(there.get(pathOf(away.url)));
  const consent = await submit(login, { login: 'ada-there', password: 'any' });
  const back = await submit(consent, {});
  const page = await browser.get(pathOf(back.url));
  expect(page.body, page.body).toContain('decision');
  const all = await scene.database.drizzle.select().from(users);
  expect(all.find(({ username }) => username === 'ada')?.claims).toMatchObject({ email: 'ada@example.com' });
});
