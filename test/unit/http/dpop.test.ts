/** RFC 9449 at the token endpoint: the proof, the tokens that it binds, and the requests that change nothing. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeClient, type TestClient, token } from '../../support/actors.ts';
import { ISSUER, withEveryPolicy } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { macProofOf, type ProofKey, type ProofSaid, proofKey, proofOf } from '../../support/dpop.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const URL_ = `${ISSUER}/oauth/token`;
type Fields = Readonly<Record<string, string>>;

describe('a token request with a DPoP proof', () => {
  let scene: Scene;
  let key: ProofKey;
  let thief: ProofKey;
  let app: TestClient;
  let bound: TestClient;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
    [key, thief] = [await proofKey(), await proofKey()];
    app = await makeClient(scene, {
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    bound = await makeClient(scene, { dpopBoundAccessTokens: true });
  });
  afterAll(() => scene.close());

  const proof = (change: Partial<ProofSaid> = {}, by = key) =>
    proofOf(by, { url: URL_, now: scene.clock.now(), ...change });
  const ask = (client: TestClient, fields: Fields, dpop?: string) =>
    token(scene, client, fields, dpop === undefined ? {} : { dpop });
  const exchange = async (client: TestClient, dpop?: string, change: Fields = {}) => {
    const { code, verifier } = await scene.code({ client, change });
    return ask(client, { grant_type: 'authorization_code', code, code_verifier: verifier }, dpop);
  };
  const refresh = (client: TestClient, refreshToken: string, dpop?: string) =>
    ask(client, { grant_type: 'refresh_token', refresh_token: refreshToken }, dpop);
  const confirmationOf = (accessToken: string | undefined) => decodeJwt(accessToken ?? '')['cnf'];
  const OWN = { grant_type: 'client_credentials' };

  it.each(['ES256', 'EdDSA', 'PS256'] as const)(
    'binds the access token of each grant type to the %s key',
    async (alg) => {
      const signer = await proofKey(alg);
      const first = await exchange(scene.client, proof({}, signer));
      const second = await refresh(scene.client, first.json.refresh_token ?? '', proof({}, signer));
      const own = await ask(scene.client, OWN, proof({}, signer));
      for (const { status, json } of [first, second, own]) {
        expect([status, json.token_type]).toEqual([200, 'DPoP']);
        expect(confirmationOf(json.access_token)).toEqual({ jkt: signer.jkt });
      }
    },
  );

  it('is optional: without it, the access token is a bearer token', async () => {
    const { json } = await exchange(scene.client);
    expect(json.token_type).toBe('Bearer');
    expect(confirmationOf(json.access_token)).toBeUndefined();
  });

  it.each<[string, () => string]>([
    ['two headers', () => `${proof()}, ${proof()}`],
    ['no JWT', () => 'a proof'],
    ['another method', () => proof({ method: 'GET' })],
    ['another URL', () => proof({ url: `${ISSUER}/oauth/par` })],
    ['an old time', () => proof({ now: new Date(scene.clock.now().getTime() - 120_000) })],
    ['a later time', () => proof({ now: new Date(scene.clock.now().getTime() + 120_000) })],
    ['alg none', () => proof({ header: { alg: 'none' } })],
    ['HS256', () => macProofOf(key, { url: URL_, now: scene.clock.now() })],
    ['a key of another proof', () => proof({ header: { jwk: thief.jwk } })],
    ['a private key', () => proof({ header: { jwk: key.privateKey.export({ format: 'jwk' }) } })],
    ['a key of 4 KB', () => proof({ header: { jwk: { ...key.jwk, note: 'x'.repeat(4096) } } })],
  ])('with %s is refused, and spends nothing', async (_name, sent) => {
    const { code, verifier } = await scene.code({ client: app });
    const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const refused = await ask(app, fields, sent());
    expect([refused.status, refused.json.error]).toEqual([400, 'invalid_dpop_proof']);
    const { status, json } = await ask(app, fields, proof());
    expect(status).toBe(200);
    const again = await refresh(app, json.refresh_token ?? '', sent());
    expect([again.status, again.json.error]).toEqual([400, 'invalid_dpop_proof']);
    expect((await refresh(app, json.refresh_token ?? '', proof())).status).toBe(200);
    const own = await ask(scene.client, OWN, sent());
    expect([own.status, own.json.error]).toEqual([400, 'invalid_dpop_proof']);
  });

  it('passes once, whatever the request', async () => {
    const sent = proof();
    expect((await ask(scene.client, OWN, sent)).status).toBe(200);
    const again = await ask(scene.client, OWN, sent);
    expect([again.status, again.json.error]).toEqual([400, 'invalid_dpop_proof']);
    expect((await exchange(scene.client, sent)).json.error).toBe('invalid_dpop_proof');
  });

  it('of a client that is not authenticated is not remembered', async () => {
    const sent = proof();
    const stranger = { ...scene.client, secret: 'wrong' };
    expect((await ask(stranger, OWN, sent)).json.error).toBe('invalid_client');
    expect((await ask(scene.client, OWN, sent)).status).toBe(200);
  });

  describe('from a public client binds its refresh tokens', () => {
    const first = async () => (await exchange(app, proof())).json.refresh_token ?? '';

    it('without the key, the head yields nothing and stays', async () => {
      let refreshToken = await first();
      for (const dpop of [undefined, proof({}, thief)]) {
        const refused = await refresh(app, refreshToken, dpop);
        expect([refused.status, refused.json.error]).toEqual([400, 'invalid_grant']);
      }
      for (let rotation = 0; rotation < 3; rotation += 1) {
        const { status, json } = await refresh(app, refreshToken, proof());
        expect([status, json.token_type]).toEqual([200, 'DPoP']);
        refreshToken = json.refresh_token ?? '';
      }
      expect((await refresh(app, refreshToken)).json.error).toBe('invalid_grant');
    });

    it.each<[string, () => string | undefined]>([
      ['without a proof', () => undefined],
      ['with a proof of a thief', () => proof({}, thief)],
      ['with a proof that is not valid', () => proof({ method: 'GET' })],
      ['with a proof of the key', () => proof()],
    ])('a reuse %s ends the chain', async (_name, dpop) => {
      const used = await first();
      const { json } = await refresh(app, used, proof());
      expect((await refresh(app, used, dpop())).json.error).toBe('invalid_grant');
      const ended = await refresh(app, json.refresh_token ?? '', proof());
      expect([ended.status, ended.json.error]).toEqual([400, 'invalid_grant']);
    });

    it('from the first request with a proof on', async () => {
      const { json } = await exchange(app);
      const { json: next } = await refresh(app, json.refresh_token ?? '', proof());
      expect((await refresh(app, next.refresh_token ?? '')).json.error).toBe('invalid_grant');
      expect((await refresh(app, next.refresh_token ?? '', proof())).status).toBe(200);
    });
  });

  it('from a confidential client binds its access tokens alone', async () => {
    const { json } = await exchange(scene.client, proof());
    const other = await refresh(scene.client, json.refresh_token ?? '', proof({}, thief));
    expect(confirmationOf(other.json.access_token)).toEqual({ jkt: thief.jkt });
    const none = await refresh(scene.client, other.json.refresh_token ?? '');
    expect([none.status, none.json.token_type]).toEqual([200, 'Bearer']);
  });

  it('is required where the client is registered for bound access tokens', async () => {
    const { code, verifier } = await scene.code({ client: bound });
    const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
    for (const request of [fields, OWN]) {
      const refused = await ask(bound, request);
      expect([refused.status, refused.json.error]).toEqual([400, 'invalid_dpop_proof']);
    }
    const { status, json } = await ask(bound, fields, proof());
    expect([status, json.token_type]).toEqual([200, 'DPoP']);
    expect((await refresh(bound, json.refresh_token ?? '')).json.error).toBe('invalid_dpop_proof');
    const next = await refresh(bound, json.refresh_token ?? '', proof());
    expect(next.status).toBe(200);
    // A reuse ends the chain, also without the proof that the client needs.
    expect((await refresh(bound, json.refresh_token ?? '')).json.error).toBe('invalid_grant');
    expect((await refresh(bound, next.json.refresh_token ?? '', proof())).json.error).toBe('invalid_grant');
  });

  describe('of the key that dpop_jkt names', () => {
    it('exchanges the code, and no other request does', async () => {
      const { code, verifier } = await scene.code({ change: { dpop_jkt: key.jkt } });
      const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
      for (const dpop of [undefined, proof({}, thief)]) {
        const refused = await ask(scene.client, fields, dpop);
        expect([refused.status, refused.json.error]).toEqual([400, 'invalid_grant']);
      }
      const { status, json } = await ask(scene.client, fields, proof());
      expect([status, json.token_type]).toEqual([200, 'DPoP']);
      // A wrong presentation changes nothing in any state, and a right one is a reuse.
      await ask(scene.client, fields, proof({}, thief));
      const { json: next } = await refresh(scene.client, json.refresh_token ?? '');
      await ask(scene.client, fields, proof());
      expect((await refresh(scene.client, next.refresh_token ?? '')).json.error).toBe('invalid_grant');
    });

    it.each(['', 'short', `${'x'.repeat(43)}=`, 'x'.repeat(44)])(
      'is refused where it is no thumbprint: %j',
      async (jkt) => {
        const { headers } = await scene.app.inject({
          url: `/oauth/authorize?${new URLSearchParams({
            ...{ response_type: 'code', client_id: scene.client.clientId, code_challenge_method: 'S256' },
            ...{ redirect_uri: scene.client.redirectUris[0] ?? '', code_challenge: 'x'.repeat(42).concat('A') },
            dpop_jkt: jkt,
          })}`,
        });
        expect(String(headers.location)).toContain(jkt === '' ? '' : 'dpop_jkt');
      },
    );
  });

  it('is shown by introspection', async () => {
    const { json } = await exchange(app, proof());
    const introspected = async (sent: string, by: TestClient) => {
      const credentials = Buffer.from(`${by.clientId}:${by.secret}`).toString('base64');
      const reply = await scene.app.inject({
        method: 'POST',
        url: '/oauth/introspect',
        headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${credentials}` },
        payload: new URLSearchParams({ token: sent }).toString(),
      });
      return reply.json();
    };
    expect(json.refresh_token).toBeDefined();
    const own = await ask(scene.client, OWN, proof());
    expect(await introspected(own.json.access_token ?? '', scene.client)).toMatchObject({
      ...{ active: true, token_type: 'DPoP', cnf: { jkt: key.jkt } },
    });
    const plain = await ask(scene.client, OWN);
    const answer = await introspected(plain.json.access_token ?? '', scene.client);
    expect(answer).toMatchObject({ active: true, token_type: 'Bearer' });
    expect(answer).not.toHaveProperty('cnf');
  });
});

describe('a resource of this server', () => {
  let scene: Scene;
  let key: ProofKey;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
    key = await proofKey();
  });
  afterAll(() => scene.close());

  const tokenOf = async (signer: ProofKey | null) => {
    const { code, verifier } = await scene.code({ change: { scope: 'openid' } });
    const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const dpop = signer && proofOf(signer, { url: URL_, now: scene.clock.now() });
    const { json } = await token(scene, scene.client, fields, dpop === null ? {} : { dpop });
    return json.access_token ?? '';
  };
  const USERINFO = `${ISSUER}/oauth/userinfo`;
  const proof = (accessToken: string, change: Partial<ProofSaid> = {}, by = key) =>
    proofOf(by, { method: 'GET', url: USERINFO, now: scene.clock.now(), accessToken, ...change });
  const ask = async (authorization: string, dpop?: string) => {
    const headers = { authorization, ...(dpop !== undefined && { dpop }) };
    const reply = await scene.app.inject({ method: 'GET', url: '/oauth/userinfo', headers });
    return { status: reply.statusCode, challenge: String(reply.headers['www-authenticate'] ?? '') };
  };

  it('answers to a bound token with its proof, once', async () => {
    const accessToken = await tokenOf(key);
    const sent = proof(accessToken);
    expect((await ask(`DPoP ${accessToken}`, sent)).status).toBe(200);
    const again = await ask(`DPoP ${accessToken}`, sent);
    expect(again.status).toBe(401);
    expect(again.challenge).toMatch(/^DPoP error="invalid_dpop_proof", .*algs="ES256 EdDSA PS256"$/);
    expect((await ask(`dpop ${accessToken}`, proof(accessToken))).status).toBe(200);
  });

  it.each<[string, string, (accessToken: string) => [string, string?]]>([
    ['as Bearer', 'invalid_token', (one) => [`Bearer ${one}`]],
    ['as Bearer, with its proof', 'invalid_token', (one) => [`Bearer ${one}`, proof(one)]],
    ['without a proof', 'invalid_dpop_proof', (one) => [`DPoP ${one}`]],
    ['with a proof for another URL', 'invalid_dpop_proof', (one) => [`DPoP ${one}`, proof(one, { url: ISSUER })]],
    ['with a proof for POST', 'invalid_dpop_proof', (one) => [`DPoP ${one}`, proof(one, { method: 'POST' })]],
    ['with a proof for another token', 'invalid_dpop_proof', (one) => [`DPoP ${one}`, proof('a.b.c')]],
    ['with two proofs', 'invalid_dpop_proof', (one) => [`DPoP ${one}`, `${proof(one)}, ${proof(one)}`]],
  ])('refuses a bound token %s', async (_name, error, sent) => {
    const { status, challenge } = await ask(...sent(await tokenOf(key)));
    expect(status).toBe(401);
    expect(challenge).toContain(`error="${error}"`);
    expect(challenge).toContain('algs="ES256 EdDSA PS256"');
  });

  it('refuses a proof of another key, and an unbound token under the scheme', async () => {
    const thief = await proofKey();
    const accessToken = await tokenOf(key);
    expect(await ask(`DPoP ${accessToken}`, proof(accessToken, {}, thief))).toMatchObject({
      status: 401,
      challenge: expect.stringContaining('error="invalid_token"'),
    });
    const unbound = await tokenOf(null);
    expect((await ask(`DPoP ${unbound}`, proof(unbound))).status).toBe(401);
    expect((await ask(`Bearer ${unbound}`)).status).toBe(200);
  });

  it('tells of the scheme where a request has no token', async () => {
    const reply = await scene.app.inject({ method: 'GET', url: '/oauth/userinfo' });
    expect(reply.headers['www-authenticate']).toMatch(/^Bearer .*, DPoP algs="ES256 EdDSA PS256"$/);
  });

  it('names the algorithms in the metadata', async () => {
    const algorithms = { dpop_signing_alg_values_supported: ['ES256', 'EdDSA', 'PS256'] };
    for (const url of ['oauth-authorization-server', 'openid-configuration', 'oauth-protected-resource/oauth/userinfo'])
      expect((await scene.app.inject({ url: `/.well-known/${url}` })).json()).toMatchObject(algorithms);
  });
});

describe('a policy that demands nonces', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration: withEveryPolicy({ dpopNonceRequired: true }) });
  });
  afterAll(() => scene.close());

  it('answers with a nonce, accepts it for minutes, and refuses any other', async () => {
    const key = await proofKey();
    const send = (nonce?: string) =>
      token(
        scene,
        scene.client,
        { grant_type: 'client_credentials' },
        { dpop: proofOf(key, { url: URL_, now: scene.clock.now(), ...(nonce !== undefined && { nonce }) }) },
      );
    const first = await send();
    expect([first.status, first.json.error]).toEqual([400, 'use_dpop_nonce']);
    const nonce = String(first.headers['dpop-nonce']);
    const { status, headers } = await send(nonce);
    expect([status, headers['dpop-nonce']]).toEqual([200, nonce]);
    expect((await send(`${nonce.slice(0, -1)}${nonce.endsWith('A') ? 'E' : 'A'}`)).json.error).toBe('use_dpop_nonce');
    scene.clock.advanceSeconds(120);
    const later = await send(nonce);
    expect([later.status, later.headers['dpop-nonce'] === nonce]).toEqual([200, false]);
    scene.clock.advanceSeconds(60);
    expect((await send(nonce)).json.error).toBe('use_dpop_nonce');
    expect((await send(String(later.headers['dpop-nonce']))).status).toBe(200);
  });
});
