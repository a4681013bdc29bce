/** RFC 6749 §6, RFC 8707 §2.2: for any request at a refresh, an access token grants no more than the end-user allowed. */

import { fc } from '@fast-check/vitest';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Configuration } from '../../src/config/configuration.ts';
import { authorizeUrl, exchange, goThrough, makeClient, makePkce, type TestClient, token } from '../support/actors.ts';
import { saveClient } from '../support/administration.ts';
import { ISSUER, shippedConfiguration } from '../support/app.ts';
import { anyDatabase } from '../support/database.ts';
import { openScene, type Scene } from '../support/scene.ts';

const described = (name: string) => ({ name, description: `do ${name}` });
const API = { identifier: 'https://api.test', scopes: ['read', 'write', 'admin', 'a:b/c.d'] };
const FILES = { identifier: 'https://files.test/v1', scopes: ['read', 'upload'] };
const configuration: Configuration = {
  ...shippedConfiguration,
  resources: [API, FILES].map(({ identifier, scopes }, index) => ({
    identifier,
    name: identifier,
    default: index === 0,
    scopes: scopes.map(described),
  })),
};
/** Asked for by `openid` alone, never named. */
const IDENTITY = { identifier: `${ISSUER}/oauth/userinfo`, scopes: ['openid', 'profile', 'email'] };
const EVERYTHING = [API, FILES, IDENTITY];
const EVERY_SCOPE = [...new Set(EVERYTHING.flatMap((one) => one.scopes))];
const EVERY_RESOURCE = EVERYTHING.map((one) => one.identifier);

const ofApis = fc.subarray([API.identifier, FILES.identifier], { minLength: 1 }).chain((resources) =>
  fc.record({
    resources: fc.constant(resources),
    scope: fc.subarray(
      [...new Set([API, FILES].filter((one) => resources.includes(one.identifier)).flatMap((one) => one.scopes))],
      {
        minLength: 1,
      },
    ),
  }),
);

const ofPerson = fc.option(fc.subarray(['profile', 'email']).map((claims) => ['openid', ...claims]));
const granted = fc.tuple(ofApis, ofPerson).map(([{ scope, resources }, identity]) => ({
  scope: [...scope, ...(identity ?? [])],
  resources: [...resources, ...(identity ? [IDENTITY.identifier] : [])],
}));

/** Less, the same, more, unknown, misspelt, in another order, twice; or nothing, which means all of it. */
const strangeScopes = ['phone', 'READ', 'Admin', 'read,write', 'read*', '*', 'rea', 'readwrite', 'ré'];
const askedScope = fc.option(
  fc.oneof(
    { weight: 3, arbitrary: fc.shuffledSubarray(EVERY_SCOPE, { minLength: 1 }) },
    fc.array(fc.constantFrom(...EVERY_SCOPE, ...strangeScopes), { minLength: 1, maxLength: 5 }),
  ),
);
const strangeResources = [
  'https://api.test/x',
  'https://api.test.',
  'http://api.test',
  'https://files.test',
  'https://files.test/v1/',
  'x',
];
const askedResources = fc.option(
  fc.oneof(
    { weight: 3, arbitrary: fc.shuffledSubarray(EVERY_RESOURCE, { minLength: 1 }) },
    fc.array(fc.constantFrom(...EVERY_RESOURCE, ...strangeResources), { minLength: 1, maxLength: 3 }),
  ),
);
const asks = fc.array(fc.record({ scope: askedScope, resources: askedResources }), { minLength: 1, maxLength: 6 });

const isWithin = (asked: readonly string[], allowed: readonly string[]) => asked.every((one) => allowed.includes(one));
/** RFC 9068 §2.2.3: each scope of a token means something at its audience. */
const meantAt = (scope: readonly string[], resources: readonly string[]) =>
  sorted(scope).filter((name) =>
    EVERYTHING.some((one) => resources.includes(one.identifier) && one.scopes.includes(name)),
  );
const sorted = (many: Iterable<string>) => [...new Set(many)].sort();

/** One audience unless several are named (docs/decisions/0024): without a name the APIs, where the scope means something there. */
function audienceOf(granted: readonly string[], scope: readonly string[], named: readonly string[] | null) {
  if (named !== null) return sorted(named);
  const apis = granted.filter((one) => one !== IDENTITY.identifier);
  const isForApis = meantAt(scope, apis).length > 0 || apis.length === granted.length;
  return isForApis ? sorted(apis) : [IDENTITY.identifier];
}

describe('scope never widens', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration });
  });
  afterAll(() => scene.close());

  async function codeFor(
    allowed: { scope: readonly string[]; resources: readonly string[] },
    client: TestClient = scene.client,
  ) {
    const pkce = makePkce();
    const url = authorizeUrl(client, pkce, { scope: allowed.scope.join(' ') });
    const named = allowed.resources.filter((one) => one !== IDENTITY.identifier);
    const resources = named.map((one) => `&resource=${encodeURIComponent(one)}`).join('');
    const answer = await goThrough(scene.browser, url + resources, scene.user);
    return { code: new URL(answer.url).searchParams.get('code') ?? '', verifier: pkce.verifier };
  }

  function ask(refreshToken: string, scope: readonly string[] | null, resources: readonly string[] | null) {
    const fields: [string, string][] = [
      ['grant_type', 'refresh_token'],
      ['refresh_token', refreshToken],
    ];
    if (scope) fields.push(['scope', scope.join(' ')]);
    for (const one of resources ?? []) fields.push(['resource', one]);
    return token(scene, scene.client, fields);
  }

  function accessOf(json: { readonly access_token?: string; readonly scope?: string }) {
    const { scope, aud } = decodeJwt(json.access_token ?? '');
    const said = String(scope).split(' ');
    const answered = (json.scope ?? '').split(' ');
    // The response also names the scopes that came with the ID Token.
    expect(isWithin(said, answered)).toBe(true);
    expect(isWithin(answered, [...said, ...IDENTITY.scopes])).toBe(true);
    return { scope: said, answered, resources: typeof aud === 'string' ? [aud] : (aud ?? []) };
  }

  it('over any sequence of smaller and larger requests; and a smaller one narrows a single token', async () => {
    await fc.assert(
      fc.asyncProperty(granted, asks, async (allowed, sequence) => {
        const first = await exchange(scene, scene.client, await codeFor(allowed));
        expect(first.status).toBe(200);
        expect(sorted(accessOf(first.json).answered)).toEqual(sorted(allowed.scope));
        let head = first.json.refresh_token ?? '';
        for (const { scope, resources } of sequence) {
          const { status, json } = await ask(head, scope, resources);
          const isGranted = isWithin(scope ?? [], allowed.scope) && isWithin(resources ?? [], allowed.resources);
          const audience = audienceOf(allowed.resources, scope ?? allowed.scope, resources);
          const meant = meantAt(scope ?? allowed.scope, audience);
          const answerable = meantAt(scope ?? allowed.scope, resources ?? allowed.resources);
          const fits = isGranted && meant.length > 0 && (scope === null || answerable.length === sorted(scope).length);
          expect(status).toBe(fits ? 200 : 400);
          if (!fits) {
            // The token stays valid: a request for too much is a mistake, not a leak.
            const asksForOthers = isWithin(scope ?? [], allowed.scope) && !isWithin(resources ?? [], allowed.resources);
            expect(json.error).toBe(asksForOthers ? 'invalid_target' : 'invalid_scope');
            continue;
          }
          const access = accessOf(json);
          expect(sorted(access.scope)).toEqual(meant);
          expect(sorted(access.resources)).toEqual(audience);
          head = json.refresh_token ?? '';
        }
        const whole = await ask(head, null, null);
        expect(sorted(accessOf(whole.json).answered)).toEqual(sorted(allowed.scope));
        expect(sorted(accessOf(whole.json).resources)).toEqual(audienceOf(allowed.resources, allowed.scope, null));
      }),
      { numRuns: 50 },
    );
  });

  it('nor beyond the current ceiling, however it narrows and widens between refreshes', async () => {
    const ceilings = fc.array(fc.option(fc.subarray([...EVERY_SCOPE, 'offline_access'])), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(granted, ceilings, async (allowed, sequence) => {
        const client = await makeClient(scene);
        const { secret: _, ...registration } = client;
        let head = (await exchange(scene, client, await codeFor(allowed, client))).json.refresh_token ?? '';
        for (const ceiling of [...sequence, null]) {
          await saveClient(scene.database.drizzle, { ...registration, scope: ceiling });
          const may = (name: string) => ceiling?.includes(name) ?? true;
          // Without `openid` its claims have no effect.
          const scope = allowed.scope.filter((name) => may(name) && (may('openid') || !IDENTITY.scopes.includes(name)));
          const resources = allowed.resources.filter((one) =>
            one === IDENTITY.identifier
              ? scope.includes('openid')
              : EVERYTHING.some(({ identifier, scopes }) => identifier === one && scopes.some(may)),
          );
          const { status, json } = await token(scene, client, { grant_type: 'refresh_token', refresh_token: head });
          expect(status).toBe(scope.length > 0 ? 200 : 400);
          if (scope.length === 0) {
            // No rotation: the same token is presented again under the next ceiling.
            expect(json.error).toBe('invalid_grant');
            continue;
          }
          const access = accessOf(json);
          expect(sorted(access.answered)).toEqual(sorted(scope));
          const audience = audienceOf(resources, scope, null);
          expect(sorted(access.resources)).toEqual(audience);
          expect(sorted(access.scope)).toEqual(meantAt(scope, audience));
          head = json.refresh_token ?? '';
        }
      }),
      { numRuns: 25 },
    );
  });

  it('at the exchange of the code: `scope` has no effect, and `resource` only narrows', async () => {
    await fc.assert(
      fc.asyncProperty(granted, askedScope, askedResources, async (allowed, scope, resources) => {
        const code = await codeFor(allowed);
        const fields: [string, string][] = [
          ['grant_type', 'authorization_code'],
          ['code', code.code],
          ['code_verifier', code.verifier],
          ...(scope ? [['scope', scope.join(' ')] as [string, string]] : []),
          ...(resources ?? []).map((one): [string, string] => ['resource', one]),
        ];
        const { status, json } = await token(scene, scene.client, fields);
        const isGranted = isWithin(resources ?? [], allowed.resources);
        const audience = audienceOf(allowed.resources, allowed.scope, resources);
        const meant = meantAt(allowed.scope, audience);
        if (!isGranted || meant.length === 0) {
          expect(json.error).toBe(isGranted ? 'invalid_scope' : 'invalid_target');
          expect((await exchange(scene, scene.client, code)).status).toBe(200);
          return;
        }
        expect(status).toBe(200);
        expect(sorted(accessOf(json).scope)).toEqual(meant);
        expect(sorted(accessOf(json).resources)).toEqual(audience);
        // The chain keeps all that was granted.
        const whole = await ask(json.refresh_token ?? '', null, null);
        expect(sorted(accessOf(whole.json).resources)).toEqual(audienceOf(allowed.resources, allowed.scope, null));
      }),
      { numRuns: 40 },
    );
  });
});
