/**
 * Clients that authenticate with the token of their workload, at every endpoint (docs/decisions/0115). RFC 7523 §3; OAuth SPIFFE
 * Client Authentication §3.1.
 */
import { createPublicKey, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clients, usedJtis } from '../../../src/storage/schema.ts';
import { authorizeUrl, makeClient, makePkce, type TestClient } from '../../support/actors.ts';
import { deleteClient } from '../../support/administration.ts';
import { ISSUER, shippedConfiguration } from '../../support/app.ts';
import { maskedAsMac, signedBy, type TestKey, testKey, unsigned } from '../../support/client-keys.ts';
import { anyDatabase } from '../../support/database.ts';
import { proofKey, proofOf } from '../../support/dpop.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const JWT_SPIFFE = 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe';
const ENDPOINTS = ['/oauth/token', '/oauth/par', '/oauth/revoke', '/oauth/introspect'] as const;
const NOT_AUTHENTICATED = 'Client authentication failed.';
const CLUSTER = 'https://kubernetes.default.svc.cluster.local';
const SUBJECT = 'system:serviceaccount:shop:api';
const SPIFFE_ID = 'spiffe://example.org/shop/api';

const base = shippedConfiguration.policies.get('default');
if (base === undefined) throw new Error('no default policy');
const bank = { ...base, authorizationCodeLifetimeSeconds: 60, profile: 'fapi-2-security' as const };
const configuration = {
  ...shippedConfiguration,
  policies: new Map([...shippedConfiguration.policies, ['bank', bank] as const]),
};

describe('a client with the token of its workload', () => {
  let scene: Scene;
  let client: TestClient;
  /** Kubernetes signs with RS256. */
  const platform = testKey('RS256');
  const published = new Map<string, string>();
  const fetchedFrom: string[] = [];

  const workload = (change: Parameters<typeof makeClient>[1] = {}, keys: readonly TestKey[] = [platform]) =>
    makeClient(scene, {
      ...{ tokenEndpointAuthMethod: 'workload_jwt', workloadIssuer: CLUSTER, workloadSubject: SUBJECT },
      ...{ jwks: { keys: keys.map(({ jwk }) => jwk as never) }, ...change },
    });

  beforeAll(async () => {
    scene = await openScene(anyDatabase, {
      configuration,
      fetchKeySet: async (uri) => {
        fetchedFrom.push(uri);
        const text = published.get(uri);
        if (text === undefined) throw new Error('away');
        return text;
      },
    });
    client = await workload();
  });
  afterAll(() => scene.close());

  const seconds = () => scene.clock.now().getTime() / 1000;
  /** As Kubernetes writes them. */
  const claims = (change: object = {}) => ({
    ...{ iss: CLUSTER, sub: SUBJECT, aud: [ISSUER], jti: 'the same for an hour' },
    ...{ iat: seconds(), nbf: seconds(), exp: seconds() + 3600 },
    'kubernetes.io': { namespace: 'shop', serviceaccount: { name: 'api' } },
    ...change,
  });
  const token = (change: object = {}, by = platform, header: object = {}) => signedBy(by, claims(change), header);
  const svid = (change: object = {}) => token({ iss: undefined, sub: SPIFFE_ID, nbf: undefined, ...change });

  async function send(
    text: string | undefined,
    {
      to = client.clientId,
      type = JWT_BEARER,
      url = '/oauth/token',
      headers = {},
      ...more
    }: { readonly to?: string | null; readonly type?: string; readonly url?: string; readonly headers?: object } & {
      readonly [name: string]: unknown;
    } = {},
  ) {
    const reply = await scene.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams({
        ...(url === '/oauth/par'
          ? Object.fromEntries(new URL(authorizeUrl(client, makePkce()), ISSUER).searchParams)
          : { grant_type: 'client_credentials', token: 'unknown' }),
        ...{ client_assertion_type: type, client_id: to ?? '' },
        ...(text !== undefined && { client_assertion: text }),
        ...(more as Record<string, string>),
      }).toString(),
    });
    const { error, error_description: description, ...rest } = reply.body === '' ? {} : reply.json();
    return { status: reply.statusCode, error, description, rest };
  }
  const accepted = expect.objectContaining({ error: undefined, status: expect.toBeOneOf([200, 201]) });
  const refused = (description: unknown = NOT_AUTHENTICATED) =>
    expect.objectContaining({ status: 401, error: 'invalid_client', description });
  const saying = (words: string) => refused(expect.stringContaining(words));
  const loggedReason = () =>
    scene
      .logs()
      .match(/"reason":"(\w+)"/g)
      ?.at(-1);

  it('is refused under jwt-bearer where the token names the workload as its own issuer, with a jti and without', async () => {
    const to = (await workload({ workloadIssuer: null, workloadSubject: SPIFFE_ID })).clientId;
    expect(await send(svid(), { to })).toEqual(accepted);
    for (const jti of ['one', undefined])
      expect(await send(svid({ iss: SPIFFE_ID, jti }), { to })).toMatchObject({ rest: {}, error: expect.any(String) });
  });

  describe.each(ENDPOINTS)('at %s', (url) => {
    it('is accepted, again and again until the platform renews the token', async () => {
      const text = token();
      expect(await send(text, { url })).toEqual(accepted);
      expect(await send(text, { url })).toEqual(accepted);
    });

    it('is refused without a token, with one of another key, and without the client_id', async () => {
      expect(await send(undefined, { url, type: '' })).toEqual(refused());
      expect(await send(token({}, testKey('RS256')), { url })).toEqual(refused());
      expect(await send(token(), { url, to: null })).toEqual(saying('send client_id too'));
    });
  });

  it.each(['RS256', 'ES256', 'PS256', 'EdDSA'])('is accepted where its platform signs with %s', async (alg) => {
    const own = testKey(alg);
    const { clientId } = await workload({}, [own]);
    expect(await send(token({}, own), { to: clientId })).toEqual(accepted);
  });

  it('is held to the one algorithm that it registered', async () => {
    const narrow = await workload({ tokenEndpointAuthSigningAlg: 'PS256' });
    expect(await send(token(), { to: narrow.clientId })).toEqual(refused());
    expect(await send(token({}, { ...platform, alg: 'PS256' }), { to: narrow.clientId })).toEqual(accepted);
  });

  it('uses the type of its token, and one method alone (RFC 6749 §2.3)', async () => {
    const two = expect.objectContaining({ status: 400, error: 'invalid_request' });
    expect(await send(token(), { client_secret: 'x' })).toEqual(two);
    const authorization = `Basic ${btoa(`${client.clientId}:x`)}`;
    expect(await send(token(), { headers: { authorization } })).toEqual(two);
    expect(await send(token(), { type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' })).toEqual(
      saying('client_assertion_type must be'),
    );
    expect(await send(undefined, { type: '', client_secret: 'a secret' })).toEqual(refused());
    expect(await send(undefined)).toEqual(two);
    expect(await send('x'.repeat(8193))).toEqual(two);
  });

  it.each([
    ['another issuer', { iss: 'https://other.example' }, 'workload_issuer_mismatch'],
    ['its issuer with a slash', { iss: `${CLUSTER}/` }, 'workload_issuer_mismatch'],
    ['no issuer', { iss: undefined }, 'workload_issuer_mismatch'],
    ['another subject', { sub: 'system:serviceaccount:shop:web' }, 'workload_subject_mismatch'],
    ['a longer subject', { sub: `${SUBJECT}-2` }, 'workload_subject_mismatch'],
    ['its subject in capitals', { sub: SUBJECT.toUpperCase() }, 'workload_subject_mismatch'],
  ])('is refused with %s, without a word about it', async (_, change, reason) => {
    expect(await send(token(change))).toEqual(refused());
    expect(loggedReason()).toBe(`"reason":"${reason}"`);
  });

  it.each([
    [{ sub: undefined }, 'needs sub'],
    [{ sub: 7 }, 'needs sub'],
    [{ sub: '' }, 'needs sub'],
    [{ iss: 7 }, 'not a well-formed'],
    [{ aud: undefined }, 'aud of'],
    [{ aud: [] }, 'aud of'],
    [{ aud: 'https://other.example' }, 'aud of'],
    [{ aud: ['https://other.example'] }, 'aud of'],
    [{ aud: [ISSUER, 'https://other.example'] }, 'aud of'],
    [{ aud: [ISSUER, ISSUER] }, 'aud of'],
    [{ aud: `${ISSUER}/oauth/token` }, 'aud of'],
    [{ aud: `${ISSUER}/` }, 'aud of'],
    [{ aud: { 0: ISSUER, length: 1 } }, 'aud of'],
    [{ exp: undefined }, 'needs exp'],
    [{ exp: 'soon' }, 'needs exp'],
    [{ nbf: 'now' }, 'needs exp'],
  ])('is refused with %j (RFC 7523 §3)', async (change, words) => {
    expect(await send(token(change))).toEqual(saying(words));
  });

  it('is accepted with the audience as a string too', async () => {
    expect(await send(token({ aud: ISSUER }))).toEqual(accepted);
  });

  it.each([
    ['at its end', { exp: 0 }, 'has expired'],
    ['long after its end', { exp: -86_400 }, 'has expired'],
    ['a second before its end', { exp: 1 }, null],
    ['24 hours before its end', { exp: 86_400 }, null],
    ['a second more', { exp: 86_401 }, 'more than 24 hours'],
    ['60 seconds ahead (iat)', { iat: 60 }, null],
    ['60 seconds ahead (nbf)', { nbf: 60 }, null],
    ['61 seconds ahead (iat)', { iat: 61 }, 'in the future'],
    ['61 seconds ahead (nbf)', { nbf: 61 }, 'in the future'],
    ['without iat and nbf', { iat: null, nbf: null }, null],
  ])('is judged by its times: %s', async (_, times, words) => {
    const change = Object.entries(times).map(([name, after]) => [name, after === null ? undefined : seconds() + after]);
    expect(await send(token(Object.fromEntries(change)))).toEqual(words === null ? accepted : saying(words));
  });

  it('tells nothing about times to a sender without a signature of the platform', async () => {
    expect(await send(token({ exp: 0 }, testKey('RS256')))).toEqual(refused());
  });

  it.each(['at+jwt', 'dpop+jwt', 'client-authentication+jwt', 'oauth-authz-req+jwt', 'wit+jwt', 7])(
    'is refused with a token of the type %j (RFC 8725 §3.11)',
    async (typ) => {
      expect(await send(token({}, platform, { typ }))).toEqual(saying('not a well-formed'));
      expect(await send(token({}, platform, { typ: 'JWT' }))).toEqual(accepted);
    },
  );

  it('is refused without a signature, and with a MAC by the public key (RFC 8725 §2.1)', async () => {
    expect(await send(unsigned(claims()))).toMatchObject({ status: 401 });
    const publicKey = createPublicKey(platform.privateKey);
    for (const secret of [publicKey.export({ type: 'spki', format: 'pem' }), JSON.stringify(platform.jwk)])
      expect(await send(maskedAsMac(platform, claims(), secret))).toEqual(saying('not signed with an algorithm'));
    const [header, , signature] = token().split('.');
    const other = Buffer.from(JSON.stringify(claims({ exp: seconds() + 7200 }))).toString('base64url');
    expect(await send(`${header}.${other}.${signature}`)).toEqual(refused());
    expect(await send(token({}, platform, { alg: 'PS256' }))).toEqual(refused());
    expect(await send(token({}, platform, { crit: ['exp'] }))).toEqual(saying('not a well-formed'));
  });

  it('is refused with another kid, and with the key inside the header', async () => {
    expect(await send(token({}, platform, { kid: 'another' }))).toEqual(refused());
    expect(loggedReason()).toBe('"reason":"client_key_unknown"');
    expect(await send(token({}, platform, { kid: 7 }))).toEqual(saying('not a well-formed'));
    const own = testKey('RS256');
    expect(await send(token({}, own, { jwk: own.jwk, jku: 'https://thief.example/keys' }))).toEqual(refused());
    expect(fetchedFrom).not.toContain('https://thief.example/keys');
    const [first, second] = [testKey('RS256', 'first'), testKey('RS256', 'second')];
    const many = await workload({}, [first, second]);
    expect(await send(token({}, second), { to: many.clientId })).toEqual(accepted);
    expect(await send(token({}, second, { kid: 'first' }), { to: many.clientId })).toEqual(refused());
    expect(await send(token({}, second, { kid: undefined }), { to: many.clientId })).toEqual(refused());
  });

  it('is never another client of the same platform', async () => {
    const other = await workload({ workloadSubject: 'system:serviceaccount:shop:web' });
    expect(await send(token({ sub: 'system:serviceaccount:shop:web' }), { to: other.clientId })).toEqual(accepted);
    expect(await send(token(), { to: other.clientId })).toEqual(refused());
    expect(await send(token({ sub: 'system:serviceaccount:shop:web' }))).toEqual(refused());
    // The same name in another cluster.
    const cluster = testKey('RS256');
    const twin = await workload({ workloadIssuer: 'https://other-cluster.example' }, [cluster]);
    expect(await send(token(), { to: twin.clientId })).toEqual(refused());
    expect(await send(token({ iss: 'https://other-cluster.example' }), { to: twin.clientId })).toEqual(refused());
    expect(await send(token({}, cluster))).toEqual(refused());
  });

  describe('and private_key_jwt', () => {
    const own = testKey();
    let keyed: TestClient;
    const assertionOf = (clientId: string, by: TestKey) =>
      signedBy(by, { ...{ iss: clientId, sub: clientId, aud: ISSUER, jti: randomUUID() }, exp: seconds() + 60 });
    beforeAll(async () => {
      keyed = await makeClient(scene, {
        ...{ tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [own.jwk as never] } },
        // No method reads them.
        ...{ workloadIssuer: CLUSTER, workloadSubject: SUBJECT },
      });
    });

    it('do not mix: neither the key of a client nor its assertion authenticates a workload', async () => {
      expect(await send(assertionOf(keyed.clientId, own), { to: keyed.clientId })).toEqual(accepted);
      const { clientId } = client;
      expect(await send(assertionOf(clientId, platform))).toEqual(refused());
      expect(loggedReason()).toBe('"reason":"client_has_no_key"');
      expect(await send(assertionOf(clientId, platform), { to: null })).toEqual(refused());
      expect(await send(assertionOf(clientId, platform), { type: JWT_SPIFFE })).toEqual(saying('SPIFFE ID'));
    });

    it.each([JWT_BEARER, JWT_SPIFFE])('do not mix: no token of a workload authenticates it by %s', async (type) => {
      const id = { sub: type === JWT_SPIFFE ? SPIFFE_ID : SUBJECT };
      for (const by of [own, platform])
        expect(await send(token(id, by), { to: keyed.clientId, type })).toEqual(refused());
      expect(loggedReason()).toBe('"reason":"client_has_no_workload"');
    });

    it('do not mix where a client has its own id as subject', async () => {
      const named = await workload({
        clientId: 'https://shop.example/api',
        workloadSubject: 'https://shop.example/api',
      });
      const to = named.clientId;
      expect(await send(token({ sub: to }), { to })).toEqual(accepted);
      expect(await send(assertionOf(to, platform), { to })).toEqual(refused());
    });

    it('do not mix where a client publishes the bundle of SPIFFE as its keys', async () => {
      const uri = 'https://spire.example/bundle';
      published.set(uri, JSON.stringify({ keys: [{ ...own.jwk, use: 'jwt-svid' }] }));
      const bundled = { jwks: null, jwksUri: uri };
      const strange = await makeClient(scene, { tokenEndpointAuthMethod: 'private_key_jwt', ...bundled });
      expect(await send(assertionOf(strange.clientId, own), { to: null })).toEqual(refused());
      const right = await workload({ ...bundled, workloadIssuer: null, workloadSubject: SPIFFE_ID });
      const text = signedBy(own, { sub: SPIFFE_ID, aud: [ISSUER], exp: seconds() + 300 });
      expect(await send(text, { to: right.clientId, type: JWT_SPIFFE })).toEqual(accepted);
    });
  });

  it('is not authenticated as a client with a secret, or without any', async () => {
    const secret = await makeClient(scene, { workloadIssuer: CLUSTER, workloadSubject: SUBJECT });
    const open = await makeClient(scene, { tokenEndpointAuthMethod: 'none' });
    for (const { clientId } of [secret, open]) expect(await send(token(), { to: clientId })).toEqual(refused());
  });

  it('signs no authorization request: the keys are of its platform (RFC 9101 §6.2)', async () => {
    const request = signedBy(platform, {
      ...{ iss: client.clientId, aud: ISSUER, client_id: client.clientId, exp: seconds() + 60 },
      ...Object.fromEntries(new URL(authorizeUrl(client, makePkce()), ISSUER).searchParams),
    });
    const pushed = { url: '/oauth/par', headers: {}, request };
    expect((await send(token(), pushed)).error).toBe('request_not_supported');
  });

  it('is refused in the same words whether or not it exists, once deleted too', async () => {
    const gone = await workload();
    await deleteClient(scene.database.drizzle, gone.clientId);
    for (const to of [gone.clientId, 'unknown', scene.client.clientId])
      for (const by of [platform, testKey('ES256'), testKey('EdDSA')])
        expect(await send(token({}, by), { to })).toEqual(refused());
  });

  it('gets no rights from a row that the server did not write', async () => {
    const { eq } = await import('drizzle-orm');
    const forged = await workload({ workloadSubject: 'system:serviceaccount:shop:web' });
    const change = { workloadSubject: SUBJECT };
    await scene.database.drizzle.update(clients).set(change).where(eq(clients.clientId, forged.clientId));
    expect(await send(token(), { to: forged.clientId })).toEqual(refused());
  });

  it('leaves neither its token nor its claims in the log or the database', async () => {
    const text = token({ jti: 'a-jti-to-look-for', 'kubernetes.io': { pod: { name: 'a-pod-to-look-for' } } });
    expect(await send(text)).toEqual(accepted);
    expect(await send(text, { to: scene.client.clientId })).toEqual(refused());
    for (const secret of [text, text.split('.')[2] ?? '', 'a-jti-to-look-for', 'a-pod-to-look-for'])
      expect(scene.logs()).not.toContain(secret);
    expect(await scene.database.drizzle.select().from(usedJtis)).not.toContainEqual(
      expect.objectContaining({ kind: 'workload' }),
    );
  });

  it('exchanges codes and refreshes with its token, and gets tokens that are bound to a DPoP key', async () => {
    const { code, verifier } = await scene.code({ client });
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const redeemed = await send(token(), { ...form, redirect_uri: client.redirectUris[0] ?? '' });
    expect(redeemed).toEqual(accepted);
    const { refresh_token } = redeemed.rest;
    expect(await send(token(), { grant_type: 'refresh_token', refresh_token })).toEqual(accepted);
    const proof = proofOf(await proofKey(), { url: `${ISSUER}/oauth/token`, now: scene.clock.now() });
    const bound = await send(token(), { headers: { dpop: proof } });
    expect(bound.rest.token_type).toBe('DPoP');
  });

  it('is refused under a profile that the policy got later (FAPI 2.0 §5.3.2.1)', async () => {
    const banking = await workload({ policy: 'bank', dpopBoundAccessTokens: true, idTokenSignedResponseAlg: 'ES256' });
    const to = banking.clientId;
    for (const url of ENDPOINTS)
      expect(await send(token(), { to, url })).toMatchObject({ status: 400, error: 'unauthorized_client' });
    expect(await send(token({}, testKey('RS256')), { to })).toEqual(refused());
  });

  describe('of SPIFFE', () => {
    let own: TestClient;
    const spiffe = (text: string, more: object = {}) => send(text, { to: own.clientId, type: JWT_SPIFFE, ...more });
    beforeAll(async () => {
      own = await workload({ workloadIssuer: null, workloadSubject: SPIFFE_ID });
    });

    it.each(ENDPOINTS)('is accepted by either type at %s, with an issuer or without', async (url) => {
      for (const type of [JWT_BEARER, JWT_SPIFFE]) {
        expect(await spiffe(svid(), { type, url })).toEqual(accepted);
        expect(await spiffe(svid({ iss: 'https://spire.example' }), { type, url })).toEqual(accepted);
      }
    });

    it('is held to the issuer that it registered', async () => {
      const strict = await workload({ workloadIssuer: 'https://spire.example', workloadSubject: SPIFFE_ID });
      expect(await spiffe(svid({ iss: 'https://spire.example' }), { to: strict.clientId })).toEqual(accepted);
      expect(await spiffe(svid(), { to: strict.clientId })).toEqual(refused());
      expect(await spiffe(svid({ iss: 'https://other.example' }), { to: strict.clientId })).toEqual(refused());
    });

    it('is refused with another SPIFFE ID, another audience and without its client_id (§3.1)', async () => {
      expect(await spiffe(svid({ sub: `${SPIFFE_ID}/more` }))).toEqual(refused());
      expect(await spiffe(svid({ sub: 'spiffe://example.com/shop/api' }))).toEqual(refused());
      expect(await spiffe(svid({ aud: [ISSUER, 'https://other.example'] }))).toEqual(saying('aud of'));
      expect(await spiffe(svid(), { to: null })).toMatchObject({ status: 400, error: 'invalid_request' });
      expect(await spiffe(svid({ exp: undefined }))).toEqual(saying('needs exp'));
    });

    it('is refused without a signature, and with a MAC by the public key (JWT-SVID §2.1)', async () => {
      const said = { sub: SPIFFE_ID, aud: [ISSUER], exp: seconds() + 300 };
      expect(await spiffe(unsigned(said))).toMatchObject({ status: 401 });
      const pem = createPublicKey(platform.privateKey).export({ type: 'spki', format: 'pem' });
      expect(await spiffe(maskedAsMac(platform, said, pem))).toEqual(saying('not signed with an algorithm'));
      expect(await spiffe('no JWT')).toEqual(saying('not a well-formed'));
      expect(await spiffe(svid({ sub: 7 }))).toEqual(saying('SPIFFE ID'));
    });

    it('has a SPIFFE ID as its subject (§3.1)', async () => {
      expect(await send(token(), { type: JWT_SPIFFE })).toEqual(saying('SPIFFE ID'));
    });
  });

  describe('of a platform that publishes its keys', () => {
    const setOf = (...keys: readonly TestKey[]) => JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
    const publishing = (jwksUri: string) => workload({ jwks: null, jwksUri });

    it('is accepted with each published key, with a new key after 30 seconds, and for a day while the origin is away', async () => {
      const uri = 'https://cluster.test/openid/v1/jwks';
      const [old, fresh] = [testKey('RS256', 'old'), testKey('RS256', 'fresh')];
      const to = (await publishing(uri)).clientId;
      published.set(uri, setOf(old));
      expect(await send(token({}, old), { to })).toEqual(accepted);
      published.set(uri, setOf(old, fresh));
      expect(await send(token({}, fresh), { to })).toEqual(refused());
      scene.clock.advanceSeconds(30);
      expect(await send(token({}, fresh), { to })).toEqual(accepted);
      published.set(uri, setOf(fresh));
      scene.clock.advanceSeconds(601);
      // This request begins the fetch, and does not wait for it.
      await send(token({}, fresh), { to });
      await expect.poll(() => send(token({}, old), { to })).toEqual(refused());
      published.delete(uri);
      scene.clock.advanceSeconds(3600);
      expect(await send(token({}, fresh), { to })).toEqual(accepted);
      scene.clock.advanceSeconds(86_400);
      expect(await send(token({}, fresh), { to })).toEqual(refused());
      expect(loggedReason()).toBe('"reason":"client_keys_unavailable"');
    });

    it('is asked for them only with a token of its issuer and subject', async () => {
      const uri = 'https://cluster.test/not-asked';
      const to = (await publishing(uri)).clientId;
      await send(token({ sub: 'system:serviceaccount:shop:web' }), { to });
      await send(token({ iss: 'https://other.example' }), { to });
      expect(fetchedFrom).not.toContain(uri);
      expect(await send(token(), { to })).toEqual(refused());
      expect(fetchedFrom).toContain(uri);
    });
  });

  it('is not in the metadata, which has registered names alone (RFC 7591 §2)', async () => {
    const metadata = (await scene.app.inject('/.well-known/oauth-authorization-server')).body;
    expect(metadata).not.toContain('workload_jwt');
    expect(metadata).not.toContain('spiffe');
  });
});
