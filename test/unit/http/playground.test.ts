/** The playground, where the server requires pushed requests of every client. The browser tests walk it without. */
import { expect, it, onTestFinished } from 'vitest';
import { goThrough, makeClient, makeUser } from '../../support/actors.ts';
import { openTestApp, shippedConfiguration } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase, openTestDatabase } from '../../support/database.ts';

const ISSUER = 'http://localhost:3000';
const APP = { clientId: 'demo-app', redirectUri: `${ISSUER}/playground/callback` };

async function open() {
  const opened = await openTestDatabase(anyDatabase);
  onTestFinished(opened.close);
  const signIn = { ...shippedConfiguration.signIn, requirePushedAuthorizationRequests: true };
  const test = await openTestApp(opened.database, {
    issuer: ISSUER,
    configuration: { ...shippedConfiguration, signIn },
    change: (deps) => ({ ...deps, demo: { app: APP, username: 'demo', password: 'shown' } }),
  });
  onTestFinished(() => test.app.close());
  const register = () =>
    makeClient(test, {
      ...{ clientId: APP.clientId, tokenEndpointAuthMethod: 'none', redirectUris: [APP.redirectUri] },
      grantTypes: ['authorization_code', 'refresh_token'],
    });
  return { test, register, browser: new Browser(test.app) };
}

it('the demo app pushes its request, and its tokens come at the end', async () => {
  const { test, register, browser } = await open();
  await register();
  const asking = await browser.get('/playground');
  expect(asking.body).not.toContain('/oauth/authorize?');
  const pushed = await browser.submit(asking, {});
  expect(pushed.body).toContain('Sent: POST /oauth/par');
  const [, href = ''] = /class="button" href="([^"]*)"/.exec(pushed.body) ?? [];
  const address = new URL(href.replaceAll(/&(?:amp|#38);/g, '&').replaceAll('&#61;', '='));
  expect([...address.searchParams.keys()]).toEqual(['client_id', 'request_uri']);
  const { url } = await goThrough(browser, `${address.pathname}${address.search}`, await makeUser(test));
  const back = new URL(url);
  const code = await browser.get(`${back.pathname}${back.search}`);
  const tokens = await browser.submit(code, {});
  expect(tokens.body).toContain('the app has tokens');
});

it('the playground shows why a push was refused', async () => {
  const { browser } = await open();
  const refused = await browser.submit(await browser.get('/playground'), {});
  expect(refused.body).toContain('the push was refused');
  expect(refused.body).toContain('invalid_client');
});
