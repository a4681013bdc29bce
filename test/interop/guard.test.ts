/** The guard over a running server: it accepts the server's tokens, follows its keys, and rejects a revoked token immediately. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Configuration } from '../../src/config/configuration.ts';
import { createGuard, type Guard, type GuardOptions, type Outcome } from '../../src/guard/index.ts';
import { requestRevocation, requestRotation } from '../../src/lifecycles/signing-key/lifecycle.ts';
import { commandLine } from '../../src/model/actor.ts';
import {
  exchange,
  makeClient,
  makeUser,
  obtainCode,
  obtainTokens,
  refresh,
  type TestClient,
  token,
} from '../support/actors.ts';
import { deleteClient, disableUser } from '../support/administration.ts';
import { shippedConfiguration } from '../support/app.ts';
import { bearer } from '../support/fake-issuer.ts';
import { claimsOf } from '../support/forging.ts';
import { judged } from '../support/interop.ts';
import { revoke } from '../support/sent-token.ts';
import { keysOf, POLICY } from '../support/signing-keys.ts';

const API = 'https://api.example.com';
const NEEDS = { scopes: ['read'] };
const INTROSPECTOR = 'photos-api';

const configuration: Configuration = {
  ...shippedConfiguration,
  resources: shippedConfiguration.resources.map((one) =>
    one.identifier === API ? { ...one, introspectedBy: [INTROSPECTOR] } : one,
  ),
};
const verdict = (outcome: Outcome) => (outcome.kind === 'granted' ? 'granted' : outcome.reason);

describe('the guard of an API', () => {
  const judging = judged({ configuration });
  let introspector: TestClient;
  beforeAll(async () => {
    introspector = await makeClient(judging.current.test, {
      clientId: INTROSPECTOR,
      grantTypes: ['client_credentials'],
      redirectUris: [],
    });
  });

  const guardOf = (more: Partial<GuardOptions> = {}): Guard => {
    const { test } = judging.current;
    return createGuard({ issuer: test.issuer, resource: API, now: () => test.clock.now(), ...more });
  };
  const asking = () =>
    guardOf({ introspection: { clientId: introspector.clientId, clientSecret: introspector.secret ?? '' } });
  const tokens = (scope = 'read') =>
    obtainTokens(judging.current.test, judging.current.confidential, judging.current.user, { scope });

  it('identifies the end-user and the client', async () => {
    const { accessToken } = await tokens('read write');
    const { confidential, user } = judging.current;
    for (const guard of [guardOf(), asking()]) {
      expect(await guard.check(bearer(accessToken), NEEDS)).toMatchObject({
        kind: 'granted',
        access: {
          subject: user.id,
          clientId: confidential.clientId,
          scopes: ['read', 'write'],
          claims: claimsOf(accessToken),
        },
      });
    }
  });

  it('identifies a service', async () => {
    const { test, confidential } = judging.current;
    const { json } = await token(test, confidential, { grant_type: 'client_credentials', scope: 'read' });
    for (const guard of [guardOf(), asking()]) {
      expect(await guard.check(bearer(json.access_token ?? ''), NEEDS)).toMatchObject({
        kind: 'granted',
        access: { subject: confidential.clientId, clientId: confidential.clientId },
      });
    }
  });

  it('rejects ID Tokens, refresh tokens, tokens for another API, and tokens with too little scope', async () => {
    const { test, confidential, user } = judging.current;
    const code = await obtainCode(test, confidential, user, { scope: 'openid read' });
    const { json } = await exchange(test, confidential, code);
    const identity = await tokens('openid');
    const guard = guardOf();
    const verdictOf = async (text = '') => verdict(await guard.check(bearer(text), NEEDS));
    expect(await verdictOf(json.id_token)).toBe('other_typ');
    expect(await verdictOf(json.refresh_token)).toBe('token_malformed');
    expect(await verdictOf(identity.accessToken)).toBe('other_audience');
    expect(await guard.check(bearer((await tokens('write')).accessToken), NEEDS)).toMatchObject({
      error: 'insufficient_scope',
      missing: ['read'],
    });
  });

  it('rejects a token once it has expired', async () => {
    const { accessToken } = await tokens();
    const guard = guardOf();
    judging.current.test.clock.advanceSeconds(904);
    expect(verdict(await guard.check(bearer(accessToken), NEEDS))).toBe('granted');
    judging.current.test.clock.advanceSeconds(1);
    expect(verdict(await guard.check(bearer(accessToken), NEEDS))).toBe('expired');
  });

  it('follows a key rotation and a key revocation without a restart', async () => {
    const { test } = judging.current;
    const guard = guardOf();
    const check = async (accessToken: string) => verdict(await guard.check(bearer(accessToken), NEEDS));
    const old = (await tokens()).accessToken;
    expect(await check(old)).toBe('granted');

    const outside = keysOf(test.database.drizzle, test.clock, { algorithms: POLICY.algorithms });
    const before = test.deps.keyRing.signerOf('ES256').kid;
    await requestRotation(outside, 'ES256', true, commandLine);
    await test.deps.keepKeys();
    const after = test.deps.keyRing.signerOf('ES256').kid;
    expect(after).not.toBe(before);
    test.clock.advanceSeconds(10);
    const fresh = (await tokens()).accessToken;
    expect([await check(fresh), await check(old)]).toEqual(['granted', 'granted']);

    await requestRevocation(outside, after, commandLine);
    await test.deps.keepKeys();
    test.clock.advanceSeconds(600);
    expect([await check(fresh), await check((await tokens()).accessToken)]).toEqual(['unknown_key', 'granted']);
  });

  describe('with introspection', () => {
    it.each<[string, (given: Awaited<ReturnType<typeof fresh>>) => Promise<unknown>]>([
      ['the client gave it back', ({ test, client, accessToken }) => revoke(test, client, accessToken)],
      [
        'its refresh token was used twice',
        async ({ test, client, refreshToken }) => {
          await refresh(test, client, refreshToken);
          await refresh(test, client, refreshToken);
        },
      ],
      ['the end-user was disabled', ({ test, user }) => disableUser(test.database.drizzle, user.username)],
      ['the client was deleted', ({ test, client }) => deleteClient(test.database.drizzle, client.clientId)],
    ])('rejects a token immediately when %s', async (_name, end) => {
      const given = await fresh();
      const guard = asking();
      expect(verdict(await guard.check(bearer(given.accessToken), NEEDS))).toBe('granted');
      await end(given);
      expect(verdict(await guard.check(bearer(given.accessToken), NEEDS))).toBe('token_inactive');
      // By its signature alone it is good until it expires.
      expect(verdict(await guardOf().check(bearer(given.accessToken), NEEDS))).toBe('granted');
    });

    async function fresh() {
      const { test } = judging.current;
      const client = await makeClient(test);
      const user = await makeUser(test);
      return { test, client, user, ...(await obtainTokens(test, client, user, { scope: 'read' })) };
    }

    it('rejects every request when its own secret is wrong, and reports the cause in the log alone', async () => {
      const { accessToken } = await tokens();
      const guard = guardOf({ introspection: { clientId: INTROSPECTOR, clientSecret: 'wrong' } });
      const outcome = await guard.check(bearer(accessToken), NEEDS);
      expect(outcome).toMatchObject({ kind: 'unavailable', reason: 'introspection' });
      expect(outcome).toHaveProperty('detail', expect.stringMatching(/\/oauth\/introspect: answered 401$/));
    });
  });
});

describe('an issuer with a path', () => {
  const judging = judged({ path: '/tenant' });

  it('is discovered through its metadata', async () => {
    const { test, confidential } = judging.current;
    const credentials = `${confidential.clientId}:${encodeURIComponent(confidential.secret ?? '')}`;
    const reply = await fetch(`${test.issuer}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(credentials)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'read' }),
    });
    const { access_token: accessToken } = (await reply.json()) as { access_token: string };
    const options = { issuer: test.issuer, resource: API, now: () => test.clock.now() };
    expect(verdict(await createGuard(options).check(bearer(accessToken), NEEDS))).toBe('granted');
    const other = createGuard({ ...options, issuer: `${test.issuer}/` });
    expect(await other.check(bearer(accessToken), NEEDS)).toMatchObject({ kind: 'unavailable', reason: 'keys' });
  });
});

describe('an unreachable issuer', () => {
  const judging = judged();

  it('leaves tokens valid for a guard that holds the keys', async () => {
    const { test, confidential, user } = judging.current;
    const guard = createGuard({ issuer: test.issuer, resource: API, now: () => test.clock.now() });
    const late = createGuard({ issuer: test.issuer, resource: API, now: () => test.clock.now() });
    const { accessToken } = await obtainTokens(test, confidential, user, { scope: 'read' });
    expect(verdict(await guard.check(bearer(accessToken), NEEDS))).toBe('granted');
    await test.app.close();
    test.clock.advanceSeconds(700);
    expect(verdict(await guard.check(bearer(accessToken), NEEDS))).toBe('granted');
    expect(await late.check(bearer(accessToken), NEEDS)).toMatchObject({
      kind: 'unavailable',
      reason: 'keys',
      status: 503,
    });
  });
});
