/** The bound on the number of parameters, at every endpoint that reads them. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizeUrl, makePkce } from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const MANY = '&resource=a'.repeat(2978);
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('thousands of parameters', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  it.each(['/oauth/token', '/oauth/revoke', '/oauth/introspect'])('at %s: invalid_request', async (url) => {
    const payload = `grant_type=client_credentials&client_id=${scene.client.clientId}${MANY}`;
    const reply = await scene.app.inject({ method: 'POST', url, headers: FORM, payload: payload.slice(0, 32_000) });
    expect([reply.statusCode, reply.json().error]).toEqual([400, 'invalid_request']);
    expect(reply.json().error_description).toBe('The request has more than 100 parameters.');
    expect(scene.logs()).toContain('"reason":"too_many_parameters"');
  });

  it('at the authorization endpoint: a page, and no redirect', async () => {
    const url = authorizeUrl(scene.client, makePkce());
    const browser = new Browser(scene.app);
    for (const answer of [
      await browser.send('GET', `${url}${'&resource=a'.repeat(1000)}`, null),
      await browser.send('POST', '/oauth/authorize', `${url.split('?')[1]}${MANY}`.slice(0, 32_000)),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.headers).not.toHaveProperty('location');
      expect(answer.body).toContain('more than 100 parameters');
    }
  });

  it('at the others: rejected too', async () => {
    const browser = new Browser(scene.app);
    expect((await browser.send('GET', `/oauth/logout?state=x${MANY.slice(0, 9000)}`, null)).status).toBe(400);
    expect((await browser.send('POST', '/oauth/userinfo', `access_token=x${MANY}`.slice(0, 32_000))).status).toBe(400);
  });
});
