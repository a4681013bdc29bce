/**
 * docs/decisions/0031: an access token for the management API grants no more than its end-user may administer at that moment. This
 * holds for any requests and any changes of roles. An auditor never gets a scope that changes data.
 */
import { fc } from '@fast-check/vitest';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOBODY_ADMINISTERS } from '../../policies/operators-schema.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { MANAGEMENT_SCOPE_NAMES } from '../../src/config/management-resource.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  PASSWORD,
  type TestClient,
  token,
} from '../support/actors.ts';
import { ISSUER, shippedConfiguration } from '../support/app.ts';
import { Browser } from '../support/browser.ts';
import { anyDatabase } from '../support/database.ts';
import { openScene, type Scene } from '../support/scene.ts';

const MANAGEMENT = `${ISSUER}/management/v1`;
const ROLES = ['operators', 'auditors', 'none'] as const;
type Role = (typeof ROLES)[number];
const READING = MANAGEMENT_SCOPE_NAMES.filter((name) => name.endsWith(':read'));
const mayHave: Readonly<Record<Role, readonly string[]>> = {
  operators: MANAGEMENT_SCOPE_NAMES,
  auditors: READING,
  none: [],
};

const role = fc.constantFrom(...ROLES);
const management = fc.subarray([...MANAGEMENT_SCOPE_NAMES], { minLength: 1 });
const asked = fc.record({ scope: management, openid: fc.boolean() });
const steps = fc.array(fc.record({ role, scope: fc.option(management) }), { minLength: 1, maxLength: 5 });

describe('administration requires a role', () => {
  let scene: Scene;
  let client: TestClient;
  let configuration: Configuration = shippedConfiguration;
  /** In the letters of another keyboard: usernames do not differ by case. */
  const give = (held: Role) => {
    const operators = held === 'none' ? {} : { [held]: [scene.user.username.toUpperCase()] };
    configuration = { ...shippedConfiguration, operators: { ...NOBODY_ADMINISTERS, ...operators } };
  };
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { change: (deps) => ({ ...deps, configuration: () => configuration }) });
    client = await makeClient(scene, { scope: ['openid', 'read', ...MANAGEMENT_SCOPE_NAMES] });
  });
  afterAll(() => scene.close());

  const ask = async (scope: readonly string[], browser = scene.browser, by = client) => {
    const pkce = makePkce();
    const url = authorizeUrl(by, pkce, { scope: scope.join(' '), resource: MANAGEMENT });
    const answer = new URL((await goThrough(browser, url, scene.user)).url).searchParams;
    return { error: answer.get('error'), code: answer.get('code') ?? '', verifier: pkce.verifier };
  };
  const administrative = (accessToken: string | undefined): string[] => {
    const { scope, aud } = decodeJwt(accessToken ?? '');
    const names = String(scope)
      .split(' ')
      .filter((name) => MANAGEMENT_SCOPE_NAMES.includes(name));
    expect(aud).toBe(names.length > 0 ? MANAGEMENT : `${ISSUER}/oauth/userinfo`);
    return names;
  };
  const within = (scope: readonly string[], held: Role) => scope.filter((name) => mayHave[held].includes(name));

  it('from the approval over the exchange to each refresh', async () => {
    await fc.assert(
      fc.asyncProperty(asked, role, role, steps, async ({ scope, openid }, approving, exchanging, sequence) => {
        give(approving);
        const wanted = [...(openid ? ['openid'] : []), ...scope];
        const { error, ...code } = await ask(wanted);
        const granted = within(scope, approving);
        if (granted.length === 0 && !openid) {
          expect(error).toBe('access_denied');
          return;
        }
        expect(error).toBeNull();
        give(exchanging);
        let { status, json } = await exchange(scene, client, code);
        const first = within(granted, exchanging);
        if (first.length === 0 && !openid) {
          // The code is unused: with the role, the same code is exchanged.
          expect([status, json.error]).toEqual([400, 'invalid_grant']);
          give('operators');
          ({ status, json } = await exchange(scene, client, code));
          expect(administrative(json.access_token)).toEqual(granted);
        } else {
          expect(status).toBe(200);
          expect(administrative(json.access_token)).toEqual(first);
        }
        let head = json.refresh_token ?? '';
        for (const step of sequence) {
          give(step.role);
          const fields = { grant_type: 'refresh_token', refresh_token: head };
          const more = step.scope === null ? {} : { scope: step.scope.join(' ') };
          ({ status, json } = await token(scene, client, { ...fields, ...more }));
          const left = within(granted, step.role).filter((name) => step.scope?.includes(name) ?? true);
          if (status === 200) {
            expect(administrative(json.access_token)).toEqual(left);
            head = json.refresh_token ?? '';
          } else {
            expect(['invalid_grant', 'invalid_scope']).toContain(json.error);
          }
          // Without `scope` there is only one reason to refuse.
          if (step.scope === null) expect(status).toBe(left.length > 0 || openid ? 200 : 400);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('shows an end-user without the role no consent page, signed in before or on the way', async () => {
    give('none');
    expect((await ask(['clients:read'], new Browser(scene.app))).error).toBe('access_denied');
    expect((await ask(['clients:read'])).error).toBe('access_denied');
    const rest = await ask(['openid', 'clients:read']);
    const { json } = await exchange(scene, client, rest);
    expect(json.scope).toBe('openid');
    // The role comes later: a scope that was not granted is not issued.
    give('operators');
    const later = await token(scene, client, { grant_type: 'refresh_token', refresh_token: json.refresh_token ?? '' });
    expect(later.json.scope).toBe('openid');
  });

  it('offers at consent only what the end-user may grant, and remembers no more', async () => {
    give('auditors');
    const fresh = await makeClient(scene, { scope: ['keys:read', 'keys:revoke'] });
    const browser = new Browser(scene.app);
    const url = authorizeUrl(fresh, makePkce(), {
      scope: 'keys:read keys:revoke',
      resource: MANAGEMENT,
    });
    let page = await browser.get(url);
    page = await browser.submit(page, { username: scene.user.username, password: PASSWORD });
    expect(page.body).toContain('see the signing keys');
    expect(page.body).not.toContain('revoke signing keys');
    await browser.submit(page, { decision: 'approve' });
    give('operators');
    page = await browser.get(authorizeUrl(fresh, makePkce(), { scope: 'keys:read keys:revoke', resource: MANAGEMENT }));
    expect(page.body).toContain('revoke signing keys');
  });

  it('gives no scopes to a client whose registration does not name them, whatever the role of the end-user', async () => {
    give('operators');
    for (const scope of [null, ['openid', 'read']]) {
      const other = await makeClient(scene, { scope });
      expect((await ask(['clients:read'], scene.browser, other)).error).toBe('invalid_scope');
    }
  });

  it('gives a client on its own behalf the access of operators.yaml at that moment', async () => {
    const listed = (scope: string[]) => {
      const clients = scope.length > 0 ? [{ client_id: client.clientId, scope }] : [];
      configuration = { ...shippedConfiguration, operators: { ...NOBODY_ADMINISTERS, clients } };
    };
    const own = (scope: string) =>
      token(scene, client, { grant_type: 'client_credentials', scope, resource: MANAGEMENT });
    await fc.assert(
      fc.asyncProperty(fc.subarray([...MANAGEMENT_SCOPE_NAMES]), management, async (may, wanted) => {
        listed(may);
        const { status, json } = await own(wanted.join(' '));
        const isListed = wanted.every((name) => may.includes(name));
        expect([status, json.error]).toEqual(isListed ? [200, undefined] : [400, 'invalid_scope']);
        if (isListed) expect(administrative(json.access_token)).toEqual(wanted);
      }),
      { numRuns: 30 },
    );
    listed(['clients:read']);
    const byDefault = await token(scene, client, { grant_type: 'client_credentials' });
    expect(byDefault.json.scope).toBe('read');
  });
});
