/** The users who must have a second factor, as shipped: the operators of a server in production, and no others. */

import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { authorizeUrl, exchange, makeClient, makePkce, makeUser, PASSWORD } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { appWith, secretOn } from '../../support/factors.ts';
import { API } from '../../support/management.ts';
import { openScene } from '../../support/scene.ts';

it.each([
  [true, 'olga', '/sign-in/factor'],
  [true, 'alice', '/account'],
  [false, 'olga', '/account'],
])('production %s: the sign-in of %s leads to %s', async (production, username, leadsTo) => {
  const operators = { operators: ['olga'], auditors: [], clients: [] };
  const scene = await openScene(anyDatabase, { configuration: { ...shippedConfiguration, production, operators } });
  await makeUser(scene, username);
  const browser = new Browser(scene.app);
  const page = await browser.submit(await browser.get('/sign-in'), { username, password: PASSWORD });
  expect(page.url).toBe(leadsTo);
  if (leadsTo !== '/account') {
    // The first operator sets it up here, and continues.
    const setUp = await browser.submit(page, {});
    await browser.submit(setUp, { code: appWith(secretOn(setUp)).codeAt(scene.clock.now()) });
    expect((await browser.get('/account')).url).toBe('/account');
  }
  await scene.close();
});

it('a session with one factor, from before the role, grants no administration until a factor is proven in it', async () => {
  const operators: string[] = [];
  const scene = await openScene(anyDatabase, {
    configuration: { ...shippedConfiguration, production: true },
    operators: () => ({ operators, auditors: [], clients: [] }),
  });
  await makeUser(scene, 'olga');
  const client = await makeClient(scene, { scope: ['read', 'users:write'] });
  const browser = new Browser(scene.app);
  await browser.submit(await browser.get('/sign-in'), { username: 'olga', password: PASSWORD });
  operators.push('olga');
  const pkce = makePkce();
  const asked = authorizeUrl(client, pkce, { scope: 'users:write', resource: API });

  const page = await browser.get(asked);
  expect(page.body).not.toContain('name="decision"');
  const setUp = await browser.post(formOf(page.body).action, formOf(page.body).fields);
  const codes = await browser.submit(setUp, { code: appWith(secretOn(setUp)).codeAt(scene.clock.now()) });
  const consent = await browser.submit(codes, {});
  const back = await browser.submit(consent, { decision: 'approve' });
  const code = new URL(back.url).searchParams.get('code') ?? '';
  const { json } = await exchange(scene, client, { code, verifier: pkce.verifier });
  expect(decodeJwt(String(json.access_token))).toMatchObject({
    scope: 'users:write',
    acr: 'urn:statehouse:acr:multi-factor',
  });

  // Another API asks for no factor.
  const plain = new Browser(scene.app);
  operators.pop();
  await makeUser(scene, 'oscar');
  await plain.submit(await plain.get('/sign-in'), { username: 'oscar', password: PASSWORD });
  operators.push('oscar');
  expect((await plain.get(authorizeUrl(client, makePkce(), { scope: 'read' }))).body).toContain('name="decision"');
  await scene.close();
});
