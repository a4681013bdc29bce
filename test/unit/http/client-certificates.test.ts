/** RFC 8705: clients that authenticate with a TLS certificate, behind a proxy that passes it. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCertificateAuthorities } from '../../../src/crypto/client-certificate.ts';
import { sha256 } from '../../../src/crypto/digest.ts';
import type { ClientRegistration } from '../../../src/model/client.ts';
import { exchange, makeClient, type TestClient, token } from '../../support/actors.ts';
import { deleteClient } from '../../support/administration.ts';
import { ISSUER } from '../../support/app.ts';
import {
  type CertificateSaid,
  certificateKeys,
  inClientCert,
  inEscapedPem,
  jwkOf,
  type TestCertificate,
  testCertificate,
} from '../../support/client-certificates.ts';
import { anyDatabase } from '../../support/database.ts';
import { proofKey, proofOf } from '../../support/dpop.ts';
import { makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const ENDPOINTS = ['/oauth/token', '/oauth/revoke', '/oauth/introspect', '/oauth/par'] as const;
const NOT_AUTHENTICATED = 'Client authentication failed.';
const PROXY = '10.1.2.3';
const SUBJECT = 'CN=billing,O=Example,C=DE';
const named = (CN: string) => [{ C: ['DE'] }, { O: ['Example'] }, { CN: [CN] }];
const refused = (description: unknown = NOT_AUTHENTICATED) => ({ status: 401, error: 'invalid_client', description });
const saying = (words: string) => refused(expect.stringContaining(words));
const OK = expect.objectContaining({ status: expect.toSatisfy((status: number) => status === 200 || status === 201) });

const thumbprintOf = ({ der }: TestCertificate) => sha256(der).toString('base64url');

describe('a client with a TLS certificate', () => {
  let scene: Scene;
  let authority: TestCertificate;
  let stranger: TestCertificate;
  const published = new Map<string, string>();

  beforeAll(async () => {
    authority = await testCertificate({ subject: [{ CN: ['Authority'] }], isAuthority: true });
    // Another authority under the same name.
    stranger = await testCertificate({ subject: [{ CN: ['Authority'] }], isAuthority: true });
    scene = await openScene(anyDatabase, {
      configuration: withBot(),
      trustedProxies: ['10.0.0.0/8'],
      clientCertificates: {
        ...{ header: 'client-cert', form: 'rfc9440', aliasOrigin: 'https://mtls.test' },
        authorities: readCertificateAuthorities(authority.pem),
      },
      fetchKeySet: async (uri) => {
        const text = published.get(uri);
        if (text === undefined) throw new Error('away');
        return text;
      },
    });
    await makeBot(scene);
  });
  afterAll(() => scene.close());

  const issued = (said: CertificateSaid = {}) => testCertificate({ subject: named('billing'), by: authority, ...said });
  const register = (change: Partial<ClientRegistration>) =>
    makeClient(scene, { tokenEndpointAuthMethod: 'tls_client_auth', ...change });

  async function send(
    client: Pick<TestClient, 'clientId'>,
    header: TestCertificate | string | undefined,
    more: Readonly<Record<string, string>> = {},
    { url = '/oauth/token', from = PROXY, headers = {} }: { url?: string; from?: string; headers?: object } = {},
  ) {
    const sent = typeof header === 'object' ? inClientCert(header) : header;
    const reply = await scene.app.inject({
      method: 'POST',
      url,
      remoteAddress: from,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(sent !== undefined && { 'client-cert': sent }),
        ...headers,
      },
      payload: new URLSearchParams({
        client_id: client.clientId,
        ...(url === '/oauth/token' && { grant_type: 'client_credentials' }),
        ...(url === '/oauth/par' && {
          ...{ response_type: 'code', code_challenge_method: 'S256', code_challenge: 'x'.repeat(42).concat('A') },
          redirect_uri: 'https://client.example/callback',
        }),
        ...((url === '/oauth/revoke' || url === '/oauth/introspect') && { token: 'unknown' }),
        ...more,
      }).toString(),
    });
    const body = reply.body === '' ? {} : reply.json();
    return { status: reply.statusCode, error: body.error, description: body.error_description, body };
  }

  describe.each(ENDPOINTS)('at %s', (url) => {
    it('is accepted with its certificate, and with no other one', async () => {
      const client = await register({
        tlsClientAuthSubjectDn: SUBJECT,
        redirectUris: ['https://client.example/callback'],
      });
      expect(await send(client, await issued(), {}, { url })).toEqual(OK);
      const wrong = [undefined, await issued({ subject: named('other') }), await issued({ by: stranger })];
      for (const one of wrong) expect(await send(client, one, {}, { url })).toMatchObject(refused());
      expect(await send(client, 'no certificate', {}, { url })).toMatchObject(saying('cannot be read'));
    });

    it('is accepted with the registered key of a self-signed certificate, and with no other one', async () => {
      const own = await testCertificate();
      const client = await register({
        tokenEndpointAuthMethod: 'self_signed_tls_client_auth',
        jwks: { keys: [(await jwkOf(own)) as never] },
        redirectUris: ['https://client.example/callback'],
      });
      expect(await send(client, own, {}, { url })).toEqual(OK);
      const wrong = [undefined, await testCertificate(), await issued()];
      for (const one of wrong) expect(await send(client, one, {}, { url })).toMatchObject(refused());
    });
  });

  it.each<[string, Partial<ClientRegistration>, CertificateSaid, boolean]>([
    ['its subject', { tlsClientAuthSubjectDn: SUBJECT }, {}, true],
    ['its subject in other letters', { tlsClientAuthSubjectDn: 'cn=Billing, o=EXAMPLE, c=de' }, {}, true],
    ['its subject by the numbers of types', { tlsClientAuthSubjectDn: '2.5.4.3=billing,O=Example,C=DE' }, {}, true],
    ['its subject backwards', { tlsClientAuthSubjectDn: 'C=DE,O=Example,CN=billing' }, {}, false],
    ['a part of its subject', { tlsClientAuthSubjectDn: 'CN=billing,O=Example' }, {}, false],
    ['more than its subject', { tlsClientAuthSubjectDn: `${SUBJECT},DC=test` }, {}, false],
    [
      'a subject of several values',
      { tlsClientAuthSubjectDn: 'OU=b+CN=\\C3\\A4,UID=x' },
      { subject: [{ '0.9.2342.19200300.100.1.1': ['x'] }, { CN: ['ä'], OU: ['b'] }] },
      true,
    ],
    [
      'a subject with a comma',
      { tlsClientAuthSubjectDn: 'CN=billing\\, O\\=Example,C=DE' },
      { subject: [{ C: ['DE'] }, { CN: ['billing, O=Example'] }] },
      true,
    ],
    [
      'two parts where its subject has a comma',
      { tlsClientAuthSubjectDn: 'CN=billing,O=Example,C=DE' },
      { subject: [{ C: ['DE'] }, { CN: ['billing,O=Example'] }] },
      false,
    ],
    ['a DNS name', { tlsClientAuthSanDns: 'billing.test' }, dns('Billing.TEST'), true],
    ['one of two DNS names', { tlsClientAuthSanDns: 'billing.test' }, dns('a.test', 'billing.test'), true],
    ['a wildcard', { tlsClientAuthSanDns: 'billing.test' }, dns('*.test'), false],
    ['a longer DNS name', { tlsClientAuthSanDns: 'billing.test' }, dns('billing.test.evil.test'), false],
    [
      'a DNS name in its subject alone',
      { tlsClientAuthSanDns: 'billing.test' },
      { subject: [{ CN: ['billing.test'] }] },
      false,
    ],
    [
      'a URI that contains a DNS name',
      { tlsClientAuthSanDns: 'billing.test' },
      { names: [{ type: 'url', value: 'https://x/, DNS:billing.test' }] },
      false,
    ],
    ['a URI', { tlsClientAuthSanUri: 'spiffe://a.test/b,c' }, uri('spiffe://a.test/b,c'), true],
    ['a URI in other letters', { tlsClientAuthSanUri: 'spiffe://a.test/b' }, uri('spiffe://a.test/B'), false],
    ['a DNS name for a URI', { tlsClientAuthSanUri: 'a:b' }, dns('a:b'), false],
    ['an IPv4 address', { tlsClientAuthSanIp: '192.0.2.1' }, ip('192.0.2.1'), true],
    ['an IPv6 address in another form', { tlsClientAuthSanIp: '2001:db8::1' }, ip('2001:0db8:0:0::0001'), true],
    ['another IP address', { tlsClientAuthSanIp: '192.0.2.1' }, ip('192.0.2.10'), false],
    ['an email', { tlsClientAuthSanEmail: 'ops@billing.test' }, email('ops@BILLING.test'), true],
    ['an email of another box', { tlsClientAuthSanEmail: 'ops@billing.test' }, email('Ops@billing.test'), false],
    ['no name', {}, {}, false],
  ])('of an authority is the client by %s', async (_name, registered, said, isClient) => {
    const client = await register(registered);
    expect(await send(client, await issued(said))).toEqual(isClient ? OK : expect.objectContaining(refused()));
  });

  it.each<[string, CertificateSaid, string | null]>([
    ['that expired', { to: new Date('2021-01-01T00:00:00Z') }, 'has expired'],
    ['that is not valid yet', { from: new Date('2048-01-01T00:00:00Z') }, 'not valid yet'],
    ['for servers alone', { purposes: ['1.3.6.1.5.5.7.3.1'] }, null],
    ['that is an authority', { isAuthority: true }, null],
    ['with a signature over SHA-1', { hash: 'SHA-1' }, null],
  ])('of an authority is refused with one %s', async (_name, said, words) => {
    const client = await register({ tlsClientAuthSubjectDn: SUBJECT });
    const expected = words === null ? refused() : saying(words);
    expect(await send(client, await issued(said))).toMatchObject(expected);
    expect(await send(client, await issued({ purposes: ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'] }))).toEqual(OK);
  });

  it('of an authority is refused below an intermediate authority that the operator does not list', async () => {
    const client = await register({ tlsClientAuthSubjectDn: SUBJECT });
    const intermediate = await testCertificate({
      subject: [{ CN: ['Intermediate'] }],
      by: authority,
      isAuthority: true,
    });
    expect(await send(client, await issued({ by: intermediate }))).toMatchObject(refused());
    // Signed by a client, which is no authority.
    const client2 = await issued();
    expect(await send(client, await issued({ by: client2 }))).toMatchObject(refused());
  });

  it.each([
    ['no base64', ':not base64!:'],
    ['no certificate', `:${Buffer.from('no certificate').toString('base64')}:`],
    ['two certificates', 'TWICE'],
    ['octets after it', 'LONGER'],
    ['no colons', 'BARE'],
    ['PEM', 'PEM'],
    ['more than 12 KB', `:${'A'.repeat(12_300)}:`],
  ])('is refused with a header of %s, and learns of it', async (_name, written) => {
    const client = await register({ tlsClientAuthSubjectDn: SUBJECT });
    const own = await issued();
    const header =
      {
        TWICE: `${inClientCert(own)}, ${inClientCert(own)}`,
        LONGER: `:${Buffer.concat([own.der, Buffer.from([0])]).toString('base64')}:`,
        BARE: own.der.toString('base64'),
        PEM: inEscapedPem(own),
      }[written] ?? written;
    expect(await send(client, header)).toMatchObject(saying('cannot be read'));
    expect(scene.logs()).not.toContain(own.der.toString('base64'));
  });

  it.each(['', '::'])('is refused without a certificate in the header: %j', async (header) => {
    const client = await register({ tlsClientAuthSubjectDn: SUBJECT });
    expect(await send(client, header)).toMatchObject(refused());
  });

  it('is refused with a certificate from any other sender than the proxy', async () => {
    const client = await register({ tlsClientAuthSubjectDn: SUBJECT });
    const own = await issued();
    for (const from of ['192.0.2.1', '127.0.0.1', '::ffff:192.0.2.1', '::1'])
      expect(await send(client, own, {}, { from })).toMatchObject(refused());
    expect(await send(client, own, {}, { from: '192.0.2.1', headers: { 'x-forwarded-for': PROXY } })).toMatchObject(
      refused(),
    );
    expect(await send(client, own, {}, { from: '::ffff:10.1.2.3' })).toEqual(OK);
    expect(scene.logs()).toContain('client_certificate_not_sent');
  });

  it('is refused without its client_id, also where one client alone has the certificate', async () => {
    const own = await issued({ subject: named('alone') });
    const client = await register({ tlsClientAuthSubjectDn: SUBJECT.replace('billing', 'alone') });
    expect(await send(client, own)).toEqual(OK);
    expect(await send({ clientId: '' }, own)).toMatchObject({ status: 401, error: 'invalid_client' });
  });

  it('uses one method (RFC 6749 §2.3), and the registered one alone', async () => {
    const client = await register({ tlsClientAuthSubjectDn: SUBJECT });
    const own = await issued();
    expect(await send(client, own, { client_secret: 'a secret' })).toMatchObject(refused());
    const headers = { authorization: `Basic ${btoa(`${client.clientId}:`)}` };
    expect((await send(client, own, {}, { headers })).status).toBe(401);
    expect(await send(scene.client, own)).toMatchObject(refused());
    const { clientId } = client;
    expect(await send({ clientId: '' }, own, { client_id: clientId })).toEqual(OK);
  });

  it('is refused in the same words whether or not it exists, once deleted too', async () => {
    const gone = await register({ tlsClientAuthSubjectDn: SUBJECT });
    await deleteClient(scene.database.drizzle, gone.clientId);
    const client = await register({ tlsClientAuthSubjectDn: SUBJECT });
    const other = await issued({ by: stranger });
    for (const one of [client, gone, { clientId: 'unknown' }]) {
      expect(await send(one, other)).toMatchObject(refused());
      expect(await send(one, undefined)).toMatchObject(refused());
      expect(await send(one, ':no:')).toMatchObject(saying('cannot be read'));
    }
  });

  describe('of its own', () => {
    const selfSigned = (change: Partial<ClientRegistration>) =>
      register({ tokenEndpointAuthMethod: 'self_signed_tls_client_auth', ...change });

    it('is the client by a new certificate of its key, unless the key names the certificate', async () => {
      const keys = await certificateKeys();
      const [first, second] = [
        await testCertificate({ keys }),
        await testCertificate({ keys, subject: named('second') }),
      ];
      const jwk = await jwkOf(first);
      const byKey = await selfSigned({ jwks: { keys: [jwk as never] } });
      const withThumbprint = { ...jwk, 'x5t#S256': thumbprintOf(first) };
      const byThumbprint = await selfSigned({ jwks: { keys: [withThumbprint as never] } });
      const chain = { ...jwk, x5c: [first.der.toString('base64')] };
      const byCertificate = await selfSigned({ jwks: { keys: [chain as never] } });
      for (const client of [byKey, byThumbprint, byCertificate]) expect(await send(client, first)).toEqual(OK);
      expect(await send(byKey, second)).toEqual(OK);
      for (const client of [byThumbprint, byCertificate]) expect(await send(client, second)).toMatchObject(refused());
    });

    it.each([
      ['EC on P-256', { name: 'ECDSA', namedCurve: 'P-256' }],
      ['EC on P-384', { name: 'ECDSA', namedCurve: 'P-384' }],
      ['EC on P-521', { name: 'ECDSA', namedCurve: 'P-521' }],
      ['Ed25519', { name: 'Ed25519' }],
      [
        'RSA',
        {
          ...{ name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, hash: 'SHA-256' },
          publicExponent: Uint8Array.of(1, 0, 1),
        },
      ],
    ])('is the client by a key of the kind %s, registered or published', async (_kind, algorithm) => {
      const own = await testCertificate({ keys: await certificateKeys(algorithm) });
      const other = await testCertificate({ keys: await certificateKeys(algorithm) });
      const keys = [(await jwkOf(own)) as never];
      const jwksUri = `https://client.test/${own.der.toString('hex', 0, 40)}`;
      published.set(jwksUri, JSON.stringify({ keys }));
      for (const change of [{ jwks: { keys } }, { jwksUri }]) {
        const client = await selfSigned(change);
        expect(await send(client, own)).toEqual(OK);
        expect(await send(client, other)).toMatchObject(refused());
      }
    });

    it('is the client by a key that it publishes, and by a new one after 30 seconds', async () => {
      const [first, second] = [await testCertificate(), await testCertificate()];
      const jwksUri = 'https://client.test/certificates';
      const client = await selfSigned({ jwksUri });
      expect(await send(client, first)).toMatchObject(refused());
      scene.clock.advanceSeconds(30);
      published.set(jwksUri, JSON.stringify({ keys: [await jwkOf(first)] }));
      expect(await send(client, first)).toEqual(OK);
      published.set(jwksUri, JSON.stringify({ keys: [await jwkOf(second)] }));
      expect(await send(client, second)).toMatchObject(refused());
      scene.clock.advanceSeconds(30);
      expect(await send(client, second)).toEqual(OK);
    });

    it('is refused when the certificate has expired', async () => {
      const own = await testCertificate({ to: new Date('2021-01-01T00:00:00Z') });
      const client = await selfSigned({ jwks: { keys: [(await jwkOf(own)) as never] } });
      expect(await send(client, own)).toMatchObject(saying('has expired'));
    });
  });

  describe('to which access tokens are bound', () => {
    const bound = (change: Partial<ClientRegistration> = {}) =>
      makeClient(scene, { tlsClientCertificateBoundAccessTokens: true, ...change });
    const from = { remoteAddress: PROXY };
    const confirmationOf = (accessToken: string | undefined) => decodeJwt(accessToken ?? '')['cnf'];

    const ask = async (client: TestClient, fields: Readonly<Record<string, string>>, own?: TestCertificate) => {
      const reply = await scene.app.inject({
        ...{ method: 'POST', url: '/oauth/token', ...from },
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(own && { 'client-cert': inClientCert(own) }),
          ...(client.secret !== null && { authorization: `Basic ${btoa(`${client.clientId}:${client.secret}`)}` }),
        },
        payload: new URLSearchParams({
          ...(client.secret === null && { client_id: client.clientId }),
          ...fields,
        }).toString(),
      });
      return { status: reply.statusCode, json: reply.json() };
    };
    const redeem = async (client: TestClient, own?: TestCertificate, change = {}) => {
      const { code, verifier } = await scene.code({ client, change });
      return ask(client, { grant_type: 'authorization_code', code, code_verifier: verifier }, own);
    };
    const refresh = (client: TestClient, refresh_token: string, own?: TestCertificate) =>
      ask(client, { grant_type: 'refresh_token', refresh_token }, own);
    const OWN = { grant_type: 'client_credentials' };

    it('has it in the tokens of each grant type, as bearer tokens (RFC 8705 §3.1)', async () => {
      const client = await bound();
      const own = await testCertificate();
      const first = await redeem(client, own);
      const second = await refresh(client, first.json.refresh_token, own);
      for (const { status, json } of [first, second, await ask(client, OWN, own)]) {
        expect([status, json.token_type]).toEqual([200, 'Bearer']);
        expect(thumbprintOf(own)).toMatch(/^[\w-]{43}$/);
        expect(confirmationOf(json.access_token)).toEqual({ 'x5t#S256': thumbprintOf(own) });
      }
      // A confidential client is bound by its authentication, and may change its certificate (RFC 8705 §6.3).
      const renewed = await testCertificate();
      const third = await refresh(client, second.json.refresh_token, renewed);
      expect(confirmationOf(third.json.access_token)).toEqual({ 'x5t#S256': thumbprintOf(renewed) });
    });

    it('gets none without it, and the credential waits', async () => {
      const client = await bound();
      const own = await testCertificate();
      const expired = await testCertificate({ to: new Date('2021-01-01T00:00:00Z') });
      const { code, verifier } = await scene.code({ client });
      const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
      for (const one of [undefined, expired])
        for (const request of [fields, OWN]) {
          const { status, json } = await ask(client, request, one);
          expect([status, json.error]).toEqual([400, 'invalid_request']);
          expect(json.error_description).toContain('certificate');
        }
      const { json } = await ask(client, fields, own);
      expect((await refresh(client, json.refresh_token)).status).toBe(400);
      expect((await refresh(client, json.refresh_token, own)).status).toBe(200);
      // A reuse ends the chain, also without the certificate that the client needs.
      expect((await refresh(client, json.refresh_token)).json.error).toBe('invalid_grant');
    });

    it('is not asked of a client that is not registered for them', async () => {
      const { json } = await ask(scene.client, OWN, await testCertificate());
      expect(confirmationOf(json.access_token)).toBeUndefined();
      expect((await ask(scene.client, OWN)).status).toBe(200);
    });

    it('binds the refresh tokens of a public client too (RFC 8705 §4)', async () => {
      const client = await bound({
        tokenEndpointAuthMethod: 'none',
        grantTypes: ['authorization_code', 'refresh_token'],
      });
      const [own, thief] = [await testCertificate(), await testCertificate()];
      const { json } = await redeem(client, own);
      const stolen = await refresh(client, json.refresh_token, thief);
      expect([stolen.status, stolen.json.error]).toEqual([400, 'invalid_grant']);
      expect((await refresh(client, json.refresh_token, own)).status).toBe(200);
    });

    it('is asked of the holder at the UserInfo Endpoint', async () => {
      const client = await bound();
      const own = await testCertificate();
      const { json } = await redeem(client, own, { scope: 'openid' });
      const open = async (certificate: TestCertificate | undefined, scheme = 'Bearer', remoteAddress = PROXY) => {
        const reply = await scene.app.inject({
          ...{ url: '/oauth/userinfo', remoteAddress },
          headers: {
            authorization: `${scheme} ${json.access_token}`,
            ...(certificate && { 'client-cert': inClientCert(certificate) }),
          },
        });
        return [reply.statusCode, reply.json().error];
      };
      expect(await open(own)).toEqual([200, undefined]);
      expect(await open(await testCertificate())).toEqual([401, 'invalid_token']);
      expect(await open(undefined)).toEqual([401, 'invalid_token']);
      expect(await open(own, 'DPoP')).toEqual([401, 'invalid_token']);
      expect(await open(own, 'Bearer', '192.0.2.1')).toEqual([401, 'invalid_token']);
    });

    it('is asked of the holder at the management API', async () => {
      const own = await testCertificate();
      const bearer = tokenOf(scene, ['clients:read'], { cnf: { 'x5t#S256': thumbprintOf(own) } });
      const list = async (certificate: TestCertificate | undefined, remoteAddress = PROXY) => {
        const reply = await scene.app.inject({
          ...{ url: '/management/v1/clients?limit=1', remoteAddress },
          headers: {
            authorization: `Bearer ${bearer}`,
            ...(certificate && { 'client-cert': inClientCert(certificate) }),
          },
        });
        return reply.statusCode;
      };
      expect(await list(own)).toBe(200);
      for (const status of [await list(await testCertificate()), await list(undefined), await list(own, '192.0.2.1')])
        expect(status).toBe(401);
    });

    it('is shown by introspection (RFC 8705 §3.2)', async () => {
      const client = await bound();
      const own = await testCertificate();
      const { json } = await ask(client, OWN, own);
      const reply = await scene.app.inject({
        ...{ method: 'POST', url: '/oauth/introspect' },
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${btoa(`${client.clientId}:${client.secret}`)}`,
        },
        payload: new URLSearchParams({ token: json.access_token }).toString(),
      });
      expect(reply.json()).toMatchObject({
        ...{ active: true, token_type: 'Bearer', cnf: { 'x5t#S256': thumbprintOf(own) } },
      });
    });
  });

  it('proves a key at the alias of an endpoint too', async () => {
    const client = await register({ tlsClientAuthSubjectDn: SUBJECT });
    const own = await issued();
    const key = await proofKey();
    const by = (url: string) => ({ headers: { dpop: proofOf(key, { url, now: scene.clock.now() }) } });
    for (const origin of [ISSUER, 'https://mtls.test']) {
      const { body } = await send(client, own, {}, by(`${origin}/oauth/token`));
      expect(body).toMatchObject({ token_type: 'DPoP' });
    }
    expect(await send(client, own, {}, by('https://other.test/oauth/token'))).toMatchObject({
      error: 'invalid_dpop_proof',
    });
  });

  it('is in the metadata (RFC 8705 §3.3 and §5)', async () => {
    const metadata = (await scene.app.inject('/.well-known/oauth-authorization-server')).json();
    for (const endpoint of ['token', 'revocation', 'introspection'])
      expect(metadata[`${endpoint}_endpoint_auth_methods_supported`]).toEqual(
        expect.arrayContaining(['tls_client_auth', 'self_signed_tls_client_auth']),
      );
    expect(metadata).toMatchObject({
      tls_client_certificate_bound_access_tokens: true,
      mtls_endpoint_aliases: {
        token_endpoint: 'https://mtls.test/oauth/token',
        revocation_endpoint: 'https://mtls.test/oauth/revoke',
        introspection_endpoint: 'https://mtls.test/oauth/introspect',
        pushed_authorization_request_endpoint: 'https://mtls.test/oauth/par',
        userinfo_endpoint: 'https://mtls.test/oauth/userinfo',
      },
    });
  });
});

describe('a server without authorities', () => {
  it('takes self-signed certificates alone', async () => {
    const scene = await openScene(anyDatabase, {
      trustedProxies: [PROXY],
      clientCertificates: { header: 'x-client-cert', form: 'pem', authorities: null, aliasOrigin: null },
    });
    try {
      const own = await testCertificate({ subject: named('billing') });
      const ask = async (change: Partial<ClientRegistration>) => {
        const client = await makeClient(scene, change);
        const reply = await scene.app.inject({
          ...{ method: 'POST', url: '/oauth/token', remoteAddress: PROXY },
          headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-client-cert': inEscapedPem(own) },
          payload: new URLSearchParams({ grant_type: 'client_credentials', client_id: client.clientId }).toString(),
        });
        return reply.statusCode;
      };
      const jwks = { keys: [(await jwkOf(own)) as never] };
      expect(await ask({ tokenEndpointAuthMethod: 'self_signed_tls_client_auth', jwks })).toBe(200);
      expect(await ask({ tokenEndpointAuthMethod: 'tls_client_auth', tlsClientAuthSubjectDn: SUBJECT })).toBe(401);
      const metadata = (await scene.app.inject('/.well-known/oauth-authorization-server')).json();
      expect(metadata.token_endpoint_auth_methods_supported).toContain('self_signed_tls_client_auth');
      expect(metadata.token_endpoint_auth_methods_supported).not.toContain('tls_client_auth');
      expect(metadata).not.toHaveProperty('mtls_endpoint_aliases');
    } finally {
      await scene.close();
    }
  });
});

describe('a server that takes no certificates', () => {
  it('ignores the header, and refuses clients that need one', async () => {
    const scene = await openScene(anyDatabase, { trustedProxies: [PROXY] });
    try {
      const own = await testCertificate({ subject: named('billing') });
      const client = await makeClient(scene, {
        tokenEndpointAuthMethod: 'self_signed_tls_client_auth',
        jwks: { keys: [(await jwkOf(own)) as never] },
      });
      const headers = { 'client-cert': inClientCert(own) };
      expect((await token(scene, client, { grant_type: 'client_credentials' }, headers)).status).toBe(401);
      const bound = await makeClient(scene, { tlsClientCertificateBoundAccessTokens: true });
      expect((await exchange(scene, bound, await scene.code({ client: bound }))).json.error).toBe('invalid_request');
      const metadata = (await scene.app.inject(`${ISSUER}/.well-known/oauth-authorization-server`)).json();
      expect(metadata).not.toHaveProperty('tls_client_certificate_bound_access_tokens');
      expect(metadata.token_endpoint_auth_methods_supported).not.toContain('self_signed_tls_client_auth');
    } finally {
      await scene.close();
    }
  });
});

function dns(...names: string[]): CertificateSaid {
  return { names: names.map((value) => ({ type: 'dns', value })) };
}
function uri(value: string): CertificateSaid {
  return { names: [{ type: 'url', value }] };
}
function ip(value: string): CertificateSaid {
  return { names: [{ type: 'ip', value }] };
}
function email(value: string): CertificateSaid {
  return { names: [{ type: 'email', value }] };
}
