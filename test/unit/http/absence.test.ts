/** The text about offline access is the same at consent and on /permissions, and matches the tokens of the client. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Policy } from '../../../policies/schema.ts';
import { authorizeUrl, exchange, makeClient, makePkce, makeUser, PASSWORD } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const GOES_ON = 'The app keeps this access while you are away. You can end it at any time.';
const ENDS = 'The app does not keep this access while you are away: it ends by itself within the hour.';
const strict = { ...shippedConfiguration.policies.get('default'), refreshTokensNeedOfflineAccess: true } as Policy;

const CASES = [
  { what: 'a client with refresh tokens', client: {}, scope: 'read', says: GOES_ON },
  { what: 'and offline_access', client: {}, scope: 'openid read offline_access', says: GOES_ON },
  { what: 'without refresh tokens', client: { grantTypes: ['authorization_code'] }, scope: 'read', says: ENDS },
  {
    what: 'without refresh tokens, and offline_access is asked for in vain',
    client: { grantTypes: ['authorization_code'] },
    scope: 'openid read offline_access',
    says: ENDS,
  },
  { what: 'a policy that wants offline_access', client: { policy: 'strict' }, scope: 'openid read', says: ENDS },
  {
    what: 'a policy that wants it, and gets it',
    client: { policy: 'strict' },
    scope: 'openid read offline_access',
    says: GOES_ON,
  },
] as const;

describe('offline access', () => {
  let scene: Scene;
  beforeAll(async () => {
    const policies = new Map([...shippedConfiguration.policies, ['strict', strict]]);
    scene = await openScene(anyDatabase, { configuration: { ...shippedConfiguration, policies } });
  });
  afterAll(() => scene.close());

  it.each(CASES)('$what: $says', async ({ client: change, scope, says }) => {
    const [client, user, pkce] = [await makeClient(scene, change), await makeUser(scene), makePkce()];
    const browser = new Browser(scene.app);
    const signIn = await browser.get(authorizeUrl(client, pkce, { scope }));
    const consent = await browser.submit(signIn, { username: user.username, password: PASSWORD });
    expect(consent.body).toContain('name="decision"');
    const back = await browser.submit(consent, { decision: 'approve' });
    const code = new URL(back.url).searchParams.get('code') ?? '';
    const { json } = await exchange(scene, client, { code, verifier: pkce.verifier });
    const permissions = await browser.get('/permissions');
    for (const { body } of [consent, permissions]) {
      expect(body).toContain(says);
      expect(body).not.toContain(says === GOES_ON ? ENDS : GOES_ON);
    }
    expect(json.refresh_token !== undefined).toBe(says === GOES_ON);
  });
});
