/** The users who must have a second factor, as shipped: the operators of a server in production, and no others. */

import { expect, it } from 'vitest';
import { makeUser, PASSWORD } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { appWith, secretOn } from '../../support/factors.ts';
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
