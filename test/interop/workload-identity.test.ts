/**
 * openid-client and oauth4webapi send the token of a workload at every endpoint, with the code of
 * docs/connecting-a-client-with-keys.md. jose signs the tokens, as an independent platform.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as workload from '../../docs/examples/openid-client-workload.ts';
import { makeClient, REDIRECT_URI } from '../support/actors.ts';
import { runningClock } from '../support/clock.ts';
import { judged } from '../support/interop.ts';

const CLUSTER = 'https://oidc.cluster.example';
const SUBJECT = 'system:serviceaccount:shop:api';
const SPIFFE_ID = 'spiffe://example.org/shop/api';

describe('a workload', () => {
  const judging = judged({ clock: runningClock() });
  let folder: string;
  let tokenFile: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-workload-'));
    tokenFile = join(folder, 'token');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function platform(alg: string, kid: string) {
    const { privateKey, publicKey } = await generateKeyPair(alg);
    const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: alg === 'RS256' ? 'sig' : 'jwt-svid' };
    const sign = (claims: Readonly<Record<string, string>>, seconds = 600) =>
      new SignJWT({ ...claims, aud: [judging.current.test.issuer] })
        .setProtectedHeader({ alg, kid })
        .setIssuedAt()
        .setExpirationTime(new Date(Date.now() + seconds * 1000))
        .sign(privateKey);
    return { jwk, sign };
  }
  const registered = (jwk: object, change: object) =>
    makeClient(judging.current.test, {
      ...{ tokenEndpointAuthMethod: 'workload_jwt', jwks: { keys: [jwk as never] }, ...change },
    });

  it('of Kubernetes gets, refreshes, describes and revokes tokens with openid-client, and reads its renewed token', async () => {
    const { jwk, sign } = await platform('RS256', 'cluster');
    const { clientId } = await registered(jwk, { workloadIssuer: CLUSTER, workloadSubject: SUBJECT });
    const { issuer } = judging.current.test;
    writeFileSync(tokenFile, await sign({ iss: CLUSTER, sub: SUBJECT }));
    const config = await workload.connect(issuer, clientId, tokenFile);
    const verifier = client.randomPKCECodeVerifier();
    const url = await client.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'openid',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const back = await judging.current.approve(url);
    const tokens = await client.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(await client.tokenIntrospection(config, next.access_token)).toMatchObject({ active: true });
    await client.tokenRevocation(config, next.refresh_token ?? '');
    expect(await client.tokenIntrospection(config, next.access_token)).toEqual({ active: false });
    expect((await workload.serviceToken(config)).scope).toBe('read');

    writeFileSync(tokenFile, await sign({ iss: CLUSTER, sub: SUBJECT }, -1));
    await expect(workload.serviceToken(config)).rejects.toThrow(client.WWWAuthenticateChallengeError);
    writeFileSync(tokenFile, await sign({ iss: CLUSTER, sub: SUBJECT }));
    expect((await workload.serviceToken(config)).scope).toBe('read');
  });

  it('of SPIFFE gets tokens with oauth4webapi, and another workload of its trust domain does not', async () => {
    const { jwk, sign } = await platform('ES256', 'trust-domain');
    const own = await registered(jwk, { workloadSubject: SPIFFE_ID });
    const { issuer } = judging.current.test;
    const url = new URL(issuer);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const as = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, insecure));
    const withSvid =
      (sub: string): oauth.ClientAuth =>
      async (_as, { client_id }, body) => {
        body.set('client_id', client_id);
        body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe');
        body.set('client_assertion', await sign({ sub }));
      };
    async function tokenFor(sub: string) {
      const asked = { client_id: own.clientId };
      const reply = await oauth.clientCredentialsGrantRequest(as, asked, withSvid(sub), { scope: 'read' }, insecure);
      return oauth.processClientCredentialsResponse(as, asked, reply);
    }
    expect((await tokenFor(SPIFFE_ID)).token_type).toBe('bearer');
    await expect(tokenFor('spiffe://example.org/shop/web')).rejects.toThrow(oauth.WWWAuthenticateChallengeError);
  });
});
