/** Two APIs with the same scope names: a scope of one of them has another meaning at the other. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  authorizeUrl,
  exchange,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  refresh,
  type TestClient,
  type TestUser,
} from '../../support/actors.ts';
import { openTestApp, shippedConfiguration, type TestApp } from '../../support/app.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';

const PHOTOS = 'https://photos.test';
const BANK = 'https://bank.test';
const resources = [
  {
    identifier: PHOTOS,
    name: 'Photos',
    default: true,
    scopes: [
      { name: 'read', description: 'see your photos' },
      { name: 'write', description: 'delete your photos' },
      { name: 'share', description: 'share your photos' },
    ],
  },
  {
    identifier: BANK,
    name: 'Bank',
    scopes: [
      { name: 'read', description: 'see your balance' },
      { name: 'write', description: 'move your money' },
    ],
  },
];

describe('two resources', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let client: TestClient;
  let user: TestUser;
  let browser: Browser;
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
    test = await openTestApp(opened.database, { configuration: { ...shippedConfiguration, resources } });
    client = await makeClient(test);
    user = await makeUser(test);
    browser = new Browser(test.app);
  });
  afterAll(async () => {
    await test.app.close();
    await opened.close();
  });

  const pkce = makePkce();
  const ask = async (scope: string, ...at: string[]): Promise<Answer> => {
    const query = at.map((one) => `&resource=${encodeURIComponent(one)}`).join('');
    const page = await browser.get(`${authorizeUrl(client, pkce, { scope })}${query}`);
    return page.body.includes('name="password"')
      ? browser.submit(page, { username: user.username, password: PASSWORD })
      : page;
  };
  const asksConsent = ({ body }: Answer) => body.includes('name="decision"');
  const allow = async (page: Answer) => {
    const { url } = asksConsent(page) ? await browser.submit(page, { decision: 'approve' }) : page;
    return new URL(url).searchParams.get('code') ?? '';
  };
  const claimsOf = (token = '') => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

  it('give no token to a client whose ceiling has no scope at an API, openid or not', async () => {
    const only = await makeClient(test, { scope: ['openid', 'share'] });
    for (const scope of ['openid', 'share', 'openid share']) {
      const url = `${authorizeUrl(only, pkce, { scope })}&resource=${encodeURIComponent(PHOTOS)}&resource=${encodeURIComponent(BANK)}`;
      expect(new URL((await browser.get(url)).url).searchParams.get('error')).toBe('invalid_target');
    }
  });

  it('are shown each with its own texts', async () => {
    const { body } = await ask('read write', PHOTOS, BANK);
    for (const words of [
      'Photos',
      'see your photos',
      'delete your photos',
      'Bank',
      'see your balance',
      'move your money',
    ]) {
      expect(body).toContain(words);
    }
  });

  it('are named also where none of their scopes is requested; the request is at the UserInfo Endpoint then', async () => {
    const page = await ask('openid', BANK);
    expect(page.body).toContain('At <strong>Bank</strong> it wants access, but none of the permissions');
    const { json } = await exchange(test, client, { code: await allow(page), verifier: pkce.verifier });
    expect(claimsOf(json.access_token)).toMatchObject({ aud: test.deps.configuration().identity.identifier });
    expect((await browser.get('/permissions')).body).toContain(
      'At <strong>Bank</strong> it gets access, but none of the permissions',
    );
    expect((await ask('share', PHOTOS, BANK)).body).toContain(
      'At <strong>Bank</strong> it wants access, but none of the permissions',
    );
    expect((await ask('openid', PHOTOS)).body).not.toContain('Bank');
  });

  it('need a consent each: one consent does not cover the other', async () => {
    await allow(await ask('write', PHOTOS));
    await allow(await ask('read', BANK));
    expect(asksConsent(await ask('write', BANK))).toBe(true);
    expect(asksConsent(await ask('read write', PHOTOS, BANK))).toBe(true);
    // An approved scope is not requested again.
    expect(asksConsent(await ask('write', PHOTOS))).toBe(false);
    expect(asksConsent(await ask('read', BANK))).toBe(false);
  });

  it('get tokens with those scopes alone that have an effect there', async () => {
    const code = await allow(await ask('read share', PHOTOS, BANK));
    const first = await exchange(test, client, { code, verifier: pkce.verifier }, { resource: BANK });
    expect(claimsOf(first.json.access_token)).toMatchObject({ aud: BANK, scope: 'read' });
    const all = await refresh(test, client, first.json.refresh_token ?? '');
    expect(claimsOf(all.json.access_token)).toMatchObject({ aud: [PHOTOS, BANK], scope: 'read share' });
    const asked = await refresh(test, client, all.json.refresh_token ?? '', { resource: BANK, scope: 'share' });
    expect(asked.json.error).toBe('invalid_scope');
    // The token stayed good.
    expect((await refresh(test, client, all.json.refresh_token ?? '')).status).toBe(200);
  });

  it('reject a code at a resource without an effective scope, and leave it valid', async () => {
    const code = await allow(await ask('share', PHOTOS, BANK));
    expect((await exchange(test, client, { code, verifier: pkce.verifier }, { resource: BANK })).json.error).toBe(
      'invalid_scope',
    );
    expect((await exchange(test, client, { code, verifier: pkce.verifier })).status).toBe(200);
  });
});
