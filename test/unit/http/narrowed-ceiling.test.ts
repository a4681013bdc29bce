/** A client's ceiling, grant types or policy are narrowed while its chains live (docs/decisions/0027). */

import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Policy } from '../../../policies/schema.ts';
import type { Configuration } from '../../../src/config/configuration.ts';
import { transitions } from '../../../src/storage/schema.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  refresh,
  type TestClient,
  type TestUser,
  token,
} from '../../support/actors.ts';
import { saveClient } from '../../support/administration.ts';
import { openTestApp, shippedConfiguration, type TestApp } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { everything, storedGrant } from '../../support/stored.ts';

const API = 'https://api.test';
const FILES = 'https://files.test';
const resources = [
  {
    identifier: API,
    name: 'API',
    default: true,
    scopes: ['read', 'pay'].map((name) => ({ name, description: `${name} at the API` })),
  },
  { identifier: FILES, name: 'Files', scopes: [{ name: 'list', description: 'list your files' }] },
];
const strict = { ...(shippedConfiguration.policies.get('default') as Policy), refreshTokensNeedOfflineAccess: true };
const configuration: Configuration = {
  ...shippedConfiguration,
  resources,
  policies: new Map([...shippedConfiguration.policies, ['strict', strict]]),
};
const EVERYTHING = ['openid', 'profile', 'read', 'pay', 'list', 'offline_access'];
const ASKED = 'openid profile read pay offline_access';

describe('a narrowed ceiling', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let user: TestUser;
  let client: TestClient;
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
    test = await openTestApp(opened.database, { configuration });
    user = await makeUser(test);
  });
  afterAll(async () => {
    await test.app.close();
    await opened.close();
  });
  beforeEach(async () => {
    client = await makeClient(test, { scope: EVERYTHING });
  });

  const change = async (fields: Partial<TestClient>) => {
    const { secret: _, ...registration } = { ...client, ...fields };
    await saveClient(test.database.drizzle, registration);
  };
  const without = (...lost: string[]) => ({ scope: EVERYTHING.filter((one) => !lost.includes(one)) });
  const code = async (scope = ASKED, ...at: string[]) => {
    const pkce = makePkce();
    const query = at.map((one) => `&resource=${encodeURIComponent(one)}`).join('');
    const { url } = await goThrough(new Browser(test.app), `${authorizeUrl(client, pkce, { scope })}${query}`, user);
    return { code: new URL(url).searchParams.get('code') ?? '', verifier: pkce.verifier };
  };
  const chain = async (scope?: string, ...at: string[]) => {
    const { json } = await exchange(test, client, await code(scope, ...at));
    return json.refresh_token ?? '';
  };
  const claimsOf = (jwt = '') => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const grantOf = (accessToken = '') =>
    Buffer.from(claimsOf(accessToken).jti, 'base64url')
      .subarray(0, 16)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const withheldOf = async (grantId: string) =>
    (
      await test.database.drizzle
        .select({ withheld: transitions.scopeWithheld })
        .from(transitions)
        .where(eq(transitions.grantId, grantId))
        .orderBy(sql`${transitions.generation} nulls first`)
    ).map(({ withheld }) => withheld);
  const introspect = async (sent: string) => {
    const reply = await test.app.inject({
      method: 'POST',
      url: '/oauth/introspect',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${client.clientId}:${client.secret}`).toString('base64')}`,
      },
      payload: new URLSearchParams({ token: sent }).toString(),
    });
    return reply.json();
  };

  it('applies at the next refresh: in the token, in the answer and in the ledger; the grant keeps the approved scope', async () => {
    const first = await chain();
    await change(without('pay', 'offline_access'));
    const { json } = await refresh(test, client, first);
    expect(json.scope).toBe('openid profile read');
    expect(claimsOf(json.access_token)).toMatchObject({
      scope: 'openid profile read',
      aud: [API, configuration.identity.identifier],
    });
    const grantId = grantOf(json.access_token);
    expect(await withheldOf(grantId)).toEqual([null, null, 'pay offline_access']);
    expect((await storedGrant(test.database.drizzle, grantId)).scope).toEqual(ASKED.split(' '));
    expect((await introspect(json.refresh_token ?? '')).scope).toBe('openid profile read');
  });

  it('that is widened again restores the approved scope, and no more', async () => {
    let head = await chain('openid read pay');
    await change(without('pay'));
    head = (await refresh(test, client, head)).json.refresh_token ?? '';
    await change({ scope: [...EVERYTHING, 'more'] });
    const { json } = await refresh(test, client, head);
    expect(json.scope).toBe('openid read pay');
    expect(await withheldOf(grantOf(json.access_token))).toEqual([null, null, 'pay', null]);
  });

  it('applies to the exchange of an unused code', async () => {
    const waiting = await code();
    await change(without('pay'));
    const { json } = await exchange(test, client, waiting);
    expect(json.scope).toBe('openid profile read offline_access');
    expect(claimsOf(json.access_token).scope).toBe('openid profile read offline_access');
    expect(await withheldOf(grantOf(json.access_token))).toEqual([null, 'pay']);
  });

  it('that lost openid ends the ID Token, and the claims that need it', async () => {
    const first = await chain();
    expect((await refresh(test, client, first)).json).toHaveProperty('id_token');
    const second = await chain();
    await change(without('openid'));
    const { json } = await refresh(test, client, second);
    expect(json).not.toHaveProperty('id_token');
    expect(json.scope).toBe('read pay offline_access');
    const userInfo = configuration.identity.identifier;
    const { json: refused } = await refresh(test, client, json.refresh_token ?? '', { resource: userInfo });
    expect(refused.error).toBe('invalid_target');
  });

  it('omits withheld scopes from a request; a request for them alone is rejected and changes nothing', async () => {
    const first = await chain();
    await change(without('pay'));
    const before = await everything(test.database.drizzle);
    expect((await refresh(test, client, first, { scope: 'pay' })).json.error).toBe('invalid_scope');
    expect((await refresh(test, client, first, { scope: 'read list' })).json.error).toBe('invalid_scope');
    expect(await everything(test.database.drizzle)).toEqual(before);
    const { json } = await refresh(test, client, first, { scope: 'read pay' });
    expect(json.scope).toBe('read');
  });

  it('that leaves an empty scope is rejected before any rotation, and the chain can continue later', async () => {
    const first = await chain('read pay');
    const waiting = await code('read pay');
    await change(without('read', 'pay'));
    const before = await everything(test.database.drizzle);
    for (const answer of [await refresh(test, client, first), await exchange(test, client, waiting)]) {
      expect([answer.status, answer.json.error]).toEqual([400, 'invalid_grant']);
    }
    expect(test.logs()).toContain('grant_has_nothing_left');
    expect(await introspect(first)).toEqual({ active: false });
    expect(await everything(test.database.drizzle)).toEqual(before);
    await change({});
    expect((await refresh(test, client, first)).json.scope).toBe('read pay');
    expect((await exchange(test, client, waiting)).json.scope).toBe('read pay');
  });

  it('without offline_access, where the policy requires it: no rotation, and the chain can continue later', async () => {
    await change({ policy: 'strict' });
    const first = await chain();
    await change({ policy: 'strict', ...without('offline_access') });
    const before = await everything(test.database.drizzle);
    const { status, json } = await refresh(test, client, first);
    expect([status, json.error]).toEqual([400, 'invalid_grant']);
    expect(test.logs()).toContain('refresh_not_allowed');
    expect(await introspect(first)).toEqual({ active: false });
    expect(await everything(test.database.drizzle)).toEqual(before);
    await change({ policy: 'strict' });
    expect((await refresh(test, client, first)).json.refresh_token).toEqual(expect.any(String));
  });

  it('does not protect a used token, which still ends the chain', async () => {
    await change({ policy: 'strict' });
    const first = await chain();
    await refresh(test, client, first);
    await change({ policy: 'strict', ...without('offline_access') });
    await refresh(test, client, first);
    expect(test.logs()).toContain('refresh_token_reused');
  });

  it('drops an API from the audience when no scope is left at it, and one that resources.yaml no longer has', async () => {
    const first = await chain('read list', API, FILES);
    expect(claimsOf((await refresh(test, client, first)).json.access_token).aud).toEqual([API, FILES]);
    const second = await chain('read list', API, FILES);
    await change(without('list'));
    expect(claimsOf((await refresh(test, client, second)).json.access_token)).toMatchObject({
      aud: API,
      scope: 'read',
    });
    await change({});
    const third = await chain('read list', API, FILES);
    const other = { identifier: 'https://other.test', name: 'Other', default: true, scopes: [] };
    const later = await openTestApp(test.database, {
      configuration: { ...configuration, resources: [...resources.slice(1), other] },
    });
    const { json } = await refresh(later, client, third);
    expect(claimsOf(json.access_token)).toMatchObject({ aud: FILES, scope: 'list' });
    const none = await chain('pay', API);
    expect((await refresh(later, client, none)).json.error).toBe('invalid_grant');
    await later.app.close();
  });

  it('does not affect an issued access token until it expires, and applies to client credentials immediately', async () => {
    const { json } = await exchange(test, client, await code('read pay'));
    await change(without('pay'));
    expect((await introspect(json.access_token ?? '')).scope).toBe('read pay');
    const own = (scope: string) => token(test, client, { grant_type: 'client_credentials', scope });
    expect((await own('read')).json.scope).toBe('read');
    expect((await own('pay')).json.error).toBe('invalid_scope');
  });
});
