/** A client's registration changes during a sign-in: the current registration counts. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  authorizeUrl,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  type TestClient,
  type TestUser,
} from '../../support/actors.ts';
import { saveClient } from '../../support/administration.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';

describe('during a sign-in, the client loses', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let user: TestUser;
  let client: TestClient;
  let browser: Browser;
  let consent: Answer;
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
    test = await openTestApp(opened.database);
    user = await makeUser(test);
  });
  afterAll(async () => {
    await test.app.close();
    await opened.close();
  });
  beforeEach(async () => {
    client = await makeClient(test);
    browser = new Browser(test.app);
    const page = await browser.get(authorizeUrl(client, makePkce()));
    consent = await browser.submit(page, { username: user.username, password: PASSWORD });
  });

  const lose = async (change: Partial<TestClient>) => {
    const { secret: _, ...registration } = { ...client, ...change };
    await saveClient(test.database.drizzle, registration);
  };

  it.each([
    ['its redirect URI', { redirectUris: ['https://elsewhere.test/'] }],
    ['the grant type', { grantTypes: ['client_credentials'] }],
  ])('%s: no response is sent there any longer, neither a code nor an error', async (_, change) => {
    await lose(change);
    for (const decision of ['approve', 'deny']) {
      const answer = await browser.submit(consent, { decision });
      expect({ status: answer.status, location: answer.headers['location'] }).toEqual({
        status: 400,
        location: undefined,
      });
    }
    expect(test.logs()).toContain('client_ended');
  });

  it('its redirect URI after the approval: the answer is not repeated', async () => {
    expect((await browser.submit(consent, { decision: 'approve' })).status).toBe(303);
    await lose({ redirectUris: ['https://elsewhere.test/'] });
    const again = await browser.submit(consent, { decision: 'approve' });
    expect({ status: again.status, location: again.headers['location'] }).toEqual({ status: 400, location: undefined });
  });
});
