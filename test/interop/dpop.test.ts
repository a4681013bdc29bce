/** DPoP by independent clients: openid-client, with the file that the guide shows, and oauth4webapi. */
import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeClient, REDIRECT_URI, type TestClient } from '../support/actors.ts';
import { withEveryPolicy } from '../support/app.ts';
import { runningClock } from '../support/clock.ts';
import { judged } from '../support/interop.ts';
import { loadedByNode } from '../support/plain-node.ts';

const plain = loadedByNode<typeof import('../../docs/examples/openid-client.ts')>('docs/examples/openid-client.ts');
const bound = loadedByNode<typeof import('../../docs/examples/openid-client-dpop.ts')>(
  'docs/examples/openid-client-dpop.ts',
);

const insecure = { [oauth.allowInsecureRequests]: true };

describe.each([
  ['without nonces', {}],
  ['with nonces', { configuration: withEveryPolicy({ dpopNonceRequired: true }) }],
])('DPoP %s', (_name, options) => {
  const judging = judged({ ...options, clock: runningClock() });
  let as: oauth.AuthorizationServer;
  beforeAll(async () => {
    const issuer = new URL(judging.current.test.issuer);
    as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  });

  it('openid-client signs in, refreshes, and asks UserInfo', async () => {
    const { test, user } = judging.current;
    const registered = await makeClient(test, { dpopBoundAccessTokens: true });
    const config = await plain.connect(test.issuer, registered.clientId, registered.secret ?? '');
    const key = await bound.newKey();
    const { url, checks } = await plain.begin(config, REDIRECT_URI);
    const first = await bound.finish(config, key, await judging.current.approve(url), checks);
    expect(first.token_type).toBe('dpop');
    const second = await bound.refresh(config, key, first.refresh_token ?? '');
    const answer = await bound.callApi(config, key, second.access_token, new URL(`${test.issuer}/oauth/userinfo`));
    expect(await answer.json()).toMatchObject({ sub: user.id });
    await expect(plain.refresh(config, second.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_dpop_proof',
    });
    expect((await bound.refresh(config, key, second.refresh_token ?? '')).refresh_token).toBeDefined();
  });

  /** Repeats a request that needs a nonce, as the documentation of the library shows. */
  async function twice<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      if (!oauth.isDPoPNonceError(error)) throw error;
      return work();
    }
  }

  it.each(['confidential', 'publicClient'] as const)(
    'oauth4webapi drives each grant type as a %s client',
    async (kind) => {
      const registered: TestClient = judging.current[kind];
      const which = { client_id: registered.clientId };
      const auth = registered.secret === null ? oauth.None() : oauth.ClientSecretBasic(registered.secret);
      const keys = await oauth.generateKeyPair('ES256');
      const DPoP = oauth.DPoP({}, keys);
      const verifier = oauth.generateRandomCodeVerifier();
      const url = new URL(as.authorization_endpoint ?? '');
      url.search = new URLSearchParams({
        ...{ response_type: 'code', client_id: registered.clientId, redirect_uri: REDIRECT_URI, scope: 'read' },
        ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
        dpop_jkt: await DPoP.calculateThumbprint(),
      }).toString();
      const callback = oauth.validateAuthResponse(as, which, await judging.current.approve(url));
      const first = await twice(async () => {
        const response = await oauth.authorizationCodeGrantRequest(as, which, auth, callback, REDIRECT_URI, verifier, {
          DPoP,
          ...insecure,
        });
        return oauth.processAuthorizationCodeResponse(as, which, response);
      });
      expect([first.token_type, decodeJwt(first.access_token)['cnf']]).toEqual([
        'dpop',
        { jkt: await DPoP.calculateThumbprint() },
      ]);
      const refreshed = (token: string, handle: oauth.DPoPHandle) =>
        twice(async () => {
          const response = await oauth.refreshTokenGrantRequest(as, which, auth, token, { DPoP: handle, ...insecure });
          return oauth.processRefreshTokenResponse(as, which, response);
        });
      const second = await refreshed(first.refresh_token ?? '', DPoP);
      const otherKey = oauth.DPoP({}, await oauth.generateKeyPair('ES256'));
      const byOther = refreshed(second.refresh_token ?? '', otherKey).then(
        ({ token_type }) => token_type,
        ({ error }: { error: string }) => error,
      );
      expect(await byOther).toBe(kind === 'publicClient' ? 'invalid_grant' : 'dpop');
      if (kind === 'publicClient') {
        expect((await refreshed(second.refresh_token ?? '', DPoP)).token_type).toBe('dpop');
        return;
      }
      const own = await twice(async () => {
        const response = await oauth.clientCredentialsGrantRequest(
          as,
          which,
          auth,
          { scope: 'read' },
          { DPoP, ...insecure },
        );
        return oauth.processClientCredentialsResponse(as, which, response);
      });
      const sent: Request[] = [];
      const api = new URL('https://api.example.com/photos');
      await oauth.protectedResourceRequest(own.access_token, 'GET', api, undefined, undefined, {
        DPoP,
        [oauth.customFetch]: async (to, init) => new Response(String(sent.push(new Request(to, init as RequestInit)))),
      });
      const request = sent[0] ?? new Request(api);
      const claims = await oauth.validateJwtAccessToken(as, request, 'https://api.example.com', {
        ...insecure,
        requireDPoP: true,
      });
      expect(claims['cnf']).toEqual({ jkt: await DPoP.calculateThumbprint() });
    },
  );
});
