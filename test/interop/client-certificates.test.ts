/**
 * openid-client and oauth4webapi authenticate with real TLS client certificates behind nginx, with the code of
 * docs/connecting-a-client-with-keys.md. Where nginx is not installed, the tests are skipped.
 */
import { webcrypto } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serviceToken } from '../../docs/examples/oauth4webapi-tls.ts';
import { readCertificateAuthorities } from '../../src/crypto/client-certificate.ts';
import { sha256 } from '../../src/crypto/digest.ts';
import { selfSigned } from '../docs/own-postgres.ts';
import { goThrough, makeClient, makeUser, REDIRECT_URI } from '../support/actors.ts';
import type { TestApp } from '../support/app.ts';
import { Browser } from '../support/browser.ts';
import { inEscapedPem, jwkOf, type TestCertificate, testCertificate } from '../support/client-certificates.ts';
import { runningClock } from '../support/clock.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { freePort, openTestAppAt } from '../support/listening.ts';
import { nginxPath, startProxy, writeNginxConf } from '../support/proxies.ts';

const SUBJECT = [{ O: ['Example'] }, { CN: ['billing'] }];

type Sent = { readonly method?: string; readonly headers?: object; readonly body?: unknown };

/** As `fetch`, on connections with this certificate. */
function fetchWith(own: TestCertificate | null, ca: Buffer, key: string | null) {
  return (url: string, { method = 'GET', headers = {}, body }: Sent): Promise<Response> =>
    new Promise((resolve, reject) => {
      const tls = { ca, agent: false, ...(own && key !== null && { cert: own.pem, key }) };
      const asked = request(url, { method, headers: { ...headers }, ...tls }, async (answer) => {
        const parts: Buffer[] = [];
        for await (const part of answer as AsyncIterable<Buffer>) parts.push(part);
        const { statusCode: status = 0, headers: received } = answer;
        const given = Object.entries(received).map(([name, value]) => [name, String(value)] as [string, string]);
        resolve(new Response(parts.length === 0 ? null : Buffer.concat(parts), { status, headers: given }));
      });
      asked.on('error', reject);
      asked.end(body === undefined || body === null ? undefined : String(body));
    });
}

const keyPem = async ({ keys }: TestCertificate): Promise<string> => {
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`;
};

describe.runIf(nginxPath !== null)('a client with a TLS certificate, behind nginx', () => {
  let folder: string;
  let opened: TestDatabase;
  let test: TestApp;
  let ca: Buffer;
  let authority: TestCertificate;
  let issuer: string;
  let proxied: { readonly args: readonly string[]; readonly port: number };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-mtls-'));
    chmodSync(folder, 0o755);
    selfSigned(folder);
    ca = readFileSync(join(folder, 'tls.crt'));
    authority = await testCertificate({ subject: [{ CN: ['Authority'] }], isAuthority: true });
    opened = await openTestDatabase('postgres');
    const [port, server] = [await freePort(), await freePort()];
    issuer = `https://localhost:${port}`;
    test = await openTestAppAt(server, opened.database, {
      clock: runningClock(),
      issuer,
      trustedProxies: ['127.0.0.1', '::1'],
      clientCertificates: {
        ...{ header: 'x-client-cert', form: 'pem', aliasOrigin: null },
        authorities: readCertificateAuthorities(authority.pem),
      },
    });
    const args = writeNginxConf(
      folder,
      `access_log off; server {
        listen 127.0.0.1:${port} ssl; listen [::1]:${port} ssl;
        ssl_certificate ${join(folder, 'tls.crt')}; ssl_certificate_key ${join(folder, 'tls.key')};
        ssl_verify_client optional_no_ca;
        location / {
          proxy_pass http://localhost:${server};
          proxy_set_header X-Client-Cert $ssl_client_escaped_cert;
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }
      }`,
    );
    proxied = { args, port };
  });
  // It ends with each test.
  beforeEach(() => startProxy(nginxPath ?? '', proxied.args, { folder, port: proxied.port }));
  afterAll(async () => {
    await test.app.close();
    await opened.close();
    rmSync(folder, { recursive: true });
  });

  const issued = () => testCertificate({ subject: SUBJECT, by: authority });
  const through = async (own: TestCertificate | null) => fetchWith(own, ca, own && (await keyPem(own)));
  const byAuthority = {
    tokenEndpointAuthMethod: 'tls_client_auth',
    tlsClientAuthSubjectDn: 'CN=billing,O=Example',
  } as const;

  it('gets tokens with oauth4webapi, and no other certificate does', async () => {
    const { clientId } = await makeClient(test, byAuthority);
    expect((await serviceToken(issuer, clientId, await through(await issued()))).token_type).toBe('bearer');
    // The same subject, of another authority, and self-signed.
    const stranger = await testCertificate({ subject: [{ CN: ['Authority'] }], isAuthority: true });
    const others = [
      await testCertificate({ subject: SUBJECT, by: stranger }),
      await testCertificate({ subject: SUBJECT }),
      null,
    ];
    for (const other of others)
      await expect(serviceToken(issuer, clientId, await through(other))).rejects.toThrow(
        oauth.WWWAuthenticateChallengeError,
      );
  });

  it('is not authenticated by a header of its own: nginx replaces it', async () => {
    const { clientId } = await makeClient(test, byAuthority);
    const stolen = { 'x-client-cert': inEscapedPem(await issued()) };
    for (const own of [null, await testCertificate()]) {
      const fetch = await through(own);
      const lying: typeof fetch = (url, sent) => fetch(url, { ...sent, headers: { ...sent.headers, ...stolen } });
      await expect(serviceToken(issuer, clientId, lying)).rejects.toThrow(oauth.WWWAuthenticateChallengeError);
    }
  });

  it('signs an end-user in and refreshes with openid-client, with tokens that are bound to it', async () => {
    const own = await testCertificate();
    const { clientId } = await makeClient(test, {
      tokenEndpointAuthMethod: 'self_signed_tls_client_auth',
      jwks: { keys: [(await jwkOf(own)) as never] },
      tlsClientCertificateBoundAccessTokens: true,
    });
    const fetch = (await through(own)) as client.CustomFetch;
    const metadata = { use_mtls_endpoint_aliases: true };
    const config = await client.discovery(new URL(issuer), clientId, metadata, client.TlsClientAuth(), {
      [client.customFetch]: fetch,
    });
    const verifier = client.randomPKCECodeVerifier();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'openid offline_access',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const user = await makeUser(test);
    const { url: back } = await goThrough(new Browser(test.app), `${url.pathname}${url.search}`, user);
    const tokens = await client.authorizationCodeGrant(config, new URL(back), { pkceCodeVerifier: verifier });
    const thumbprint = sha256(own.der).toString('base64url');
    expect(decodeJwt(tokens.access_token)['cnf']).toEqual({ 'x5t#S256': thumbprint });
    expect(await client.fetchUserInfo(config, tokens.access_token, client.skipSubjectCheck)).toHaveProperty('sub');
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(await client.tokenIntrospection(config, next.access_token)).toMatchObject({
      cnf: { 'x5t#S256': thumbprint },
    });
    // A thief has the token, and another certificate.
    const thief = await through(await testCertificate());
    const headers = { authorization: `Bearer ${next.access_token}` };
    expect((await thief(`${issuer}/oauth/userinfo`, { headers })).status).toBe(401);
    expect((await fetch(`${issuer}/oauth/userinfo`, { headers, method: 'GET' } as never)).status).toBe(200);
  });
});
