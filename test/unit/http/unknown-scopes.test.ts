/** OpenID Connect Core §3.1.2.1: unknown scopes are ignored in an OpenID request. RFC 6749 §3.3: a rejected scope is named. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  type TestClient,
  token,
} from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

/** RFC 6749 §4.1.2.1 and §5.2. */
const ERROR_CHARACTERS = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/;

describe('a scope', () => {
  let scene: Scene;
  let limited: TestClient;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
    limited = await makeClient(scene, { scope: ['openid', 'profile', 'read', 'offline_access', 'undescribed'] });
  });
  afterAll(() => scene.close());

  async function granted(scope: string, client: TestClient = limited) {
    const pkce = makePkce();
    const { url } = await goThrough(new Browser(scene.app), authorizeUrl(client, pkce, { scope }), scene.user);
    const code = new URL(url).searchParams.get('code') ?? '';
    return (await exchange(scene, client, { code, verifier: pkce.verifier })).json.scope;
  }
  async function refused(scope: string, client: TestClient = limited) {
    const { url } = await new Browser(scene.app).get(authorizeUrl(client, makePkce(), { scope }));
    const { error, error_description: description = '' } = Object.fromEntries(new URL(url).searchParams);
    expect(error).toBe('invalid_scope');
    expect(description).toMatch(ERROR_CHARACTERS);
    return description;
  }
  const lastLine = () => JSON.parse(scene.logs().trim().split('\n').at(-1) ?? '{}');

  it('that is unknown is ignored beside openid, and the answer has the granted scope', async () => {
    expect(await granted('openid profile groups')).toBe('openid profile');
    expect(await granted('groups openid read roles')).toBe('openid read');
    expect(await granted('openid groups', scene.client)).toBe('openid');
    expect(await granted('openid offline_access groups')).toBe('openid offline_access');
    expect(await granted('openid read undescribed groups')).toBe('openid read undescribed');
  });

  it('that is unknown does not affect the audience: the rest decides', async () => {
    const pkce = makePkce();
    const url = authorizeUrl(limited, pkce, { scope: 'openid profile groups' });
    const back = await goThrough(new Browser(scene.app), url, scene.user);
    const code = new URL(back.url).searchParams.get('code') ?? '';
    const { json } = await exchange(scene, limited, { code, verifier: pkce.verifier });
    const reply = await scene.app.inject({
      url: '/oauth/userinfo',
      headers: { authorization: `Bearer ${json.access_token}` },
    });
    expect(reply.statusCode).toBe(200);
  });

  it.each(['openid write', 'read write', 'write', 'openid groups write'])(
    'beyond the ceiling of the client is rejected by name, in answer and log: %s',
    async (scope) => {
      expect(await refused(scope)).toBe('write: a scope is more than this client may ask for');
      expect(lastLine()).toMatchObject({ reason: 'scope_not_allowed', scope: 'write', clientId: limited.clientId });
    },
  );

  it.each(['email', 'openid email'])('of OpenID Connect beyond the ceiling is rejected by name: %s', async (scope) => {
    expect(await refused(scope)).toMatch(/^email: /);
  });

  it('that is unknown is rejected by name without openid', async () => {
    expect(await refused('read groups')).toBe('groups: a scope is unknown');
    expect(lastLine()).toMatchObject({ reason: 'scope_unknown', scope: 'groups' });
    expect(await refused('groups')).toBe('groups: a scope is unknown');
  });

  it('that is malformed is rejected with a message', async () => {
    expect(await refused('"')).toBe('scope is not a list of scope tokens separated by spaces');
    expect(await refused('openid \\')).toBe('scope is not a list of scope tokens separated by spaces');
    expect(await refused('offline_access')).toMatch(/more than this client may ask for/);
  });

  it('with markup and of any length is shown short, and as text', async () => {
    const hostile = `<script>alert(1)</script>${"'&%0a;{}".repeat(100)}`;
    expect(await refused(`read ${hostile}`)).toBe(`${hostile.slice(0, 100)}...: a scope is unknown`);
    expect(lastLine().scope).toBe(`${hostile.slice(0, 100)}...`);
  });

  it('is rejected by name at client credentials, in answer and log', async () => {
    const ask = async (scope: string, client = limited) => {
      const { json } = await token(scene, client, { grant_type: 'client_credentials', scope });
      expect(json.error).toBe('invalid_scope');
      expect(json.error_description).toMatch(ERROR_CHARACTERS);
      return json.error_description;
    };
    expect(await ask('read write')).toBe('scope write: This scope is more than the client may ask for.');
    expect(lastLine()).toMatchObject({ reason: 'scope_not_allowed', parameter: 'scope', scope: 'write' });
    expect(await ask('groups read')).toBe('scope groups: This scope is unknown.');
    // No user signs in here, so openid does not make the unknown ignored.
    expect(await ask('openid groups')).toBe('scope openid: This scope is more than the client may ask for.');
    expect(await ask('"')).toBe('scope: It is not a list of scope tokens separated by spaces.');
  });
});
