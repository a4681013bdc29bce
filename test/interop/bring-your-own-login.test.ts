/** The program of examples/bring-your-own-login, started by Node alone beside a real server: the whole way of a browser. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { delegatedSignInSchema } from '../../policies/upstreams-schema.ts';
import { makeClient } from '../support/actors.ts';
import { shippedConfiguration } from '../support/app.ts';
import { Browser, formOf } from '../support/browser.ts';
import { hasEnded, outputOf, startChild, waiting } from '../support/child-process.ts';
import { testClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { freePort, listen } from '../support/listening.ts';
import { until } from '../support/until.ts';
import { pathOf, pressButton, signInPage } from '../support/upstream.ts';

const PROGRAM = join(import.meta.dirname, '../../examples/bring-your-own-login/login.ts');

it('delegated sign-in: signs a user in at Statehouse with the login of the team', async () => {
  const database = await openTestDatabase('embedded');
  const port = await freePort();
  const client = { clientId: 'our-login', grantTypes: ['client_credentials'], redirectUris: [] };
  const test = await listen(database.database, {
    clock: testClock(new Date()),
    configuration: {
      ...shippedConfiguration,
      operators: { operators: [], auditors: [], clients: [{ client_id: 'our-login', scope: ['sign-ins:answer'] }] },
      delegatedSignIn: delegatedSignInSchema.parse({ url: `http://localhost:${port}/`, createUsers: true }),
    },
  });
  onTestFinished(async () => {
    await test.app.close();
    await database.close();
  });
  const { secret } = await makeClient(test, client);
  const app = await makeClient(test);
  const env = {
    PATH: process.env['PATH'],
    ISSUER: test.issuer,
    CLIENT_ID: 'our-login',
    CLIENT_SECRET: secret ?? '',
    PORT: String(port),
    NODE_OPTIONS: waiting().join(' '),
  };
  const login = startChild(process.execPath, [PROGRAM], { env });
  onTestFinished(() => void login.kill('SIGTERM'));
  const output = outputOf(login);
  await until(() => {
    if (hasEnded(login)) throw new Error(output());
    return output().includes('Our login is at');
  });

  const browser = new Browser(test.app);
  const away = await pressButton(browser, await signInPage(browser, app), 'delegated');
  const page = await (await fetch(away.url)).text();
  expect(page).toContain('to continue to Test client');
  const { fields } = formOf(page);
  const send = (more: Readonly<Record<string, string>>) =>
    fetch(`http://localhost:${port}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ ...fields, username: 'ada', decision: 'sign-in', ...more }),
    });
  expect((await send({ password: 'wrong' })).status).toBe(400);
  const answered = await send({ password: 'an analytical engine' });
  expect(answered.status, await answered.clone().text()).toBe(303);
  const consent = await browser.get(pathOf(answered.headers.get('location') ?? ''));
  const back = await browser.submit(consent, { decision: 'approve' });
  expect(new URL(back.url).searchParams.get('code')).toBeTruthy();
  expect((await send({ password: 'an analytical engine' })).status).toBe(502);
});
