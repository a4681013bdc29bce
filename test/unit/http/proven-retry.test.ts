/** A used refresh token with the proof of its holder, at the token endpoint, under a policy with a retry and under one without. */
import { generateKeyPairSync } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { decodeJwt, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JWT_BEARER } from '../../../src/oauth/parameters.ts';
import { transitions } from '../../../src/storage/schema.ts';
import { makeClient, type TestClient, token } from '../../support/actors.ts';
import { ISSUER, withEveryPolicy } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { type ProofKey, type ProofSaid, proofKey, proofOf } from '../../support/dpop.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const URL_ = `${ISSUER}/oauth/token`;
const STALE = 'A newer token was issued to this client: use that one.';
type Fields = Readonly<Record<string, string>>;

describe('under a policy with a retry', () => {
  let scene: Scene;
  let key: ProofKey;
  let thief: ProofKey;
  let app: TestClient;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration: withEveryPolicy({ provenRetrySeconds: 60 }) });
    [key, thief] = [await proofKey(), await proofKey()];
    app = await makeClient(scene, {
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['authorization_code', 'refresh_token'],
    });
  });
  afterAll(() => scene.close());

  const proof = (change: Partial<ProofSaid> = {}, by = key) =>
    proofOf(by, { url: URL_, now: scene.clock.now(), ...change });
  const ask = (client: TestClient, fields: Fields, dpop?: string) =>
    token(scene, client, fields, dpop === undefined ? {} : { dpop });
  const refresh = (refreshToken: string, dpop: string | undefined = proof(), more: Fields = {}) =>
    ask(app, { grant_type: 'refresh_token', refresh_token: refreshToken, ...more }, dpop);
  const unproven = (refreshToken: string) => ask(app, { grant_type: 'refresh_token', refresh_token: refreshToken });
  const first = async () => {
    const { code, verifier } = await scene.code({ client: app });
    const { json } = await ask(app, { grant_type: 'authorization_code', code, code_verifier: verifier }, proof());
    return json.refresh_token ?? '';
  };
  /** Whether the head can still be refreshed. */
  const lives = async (head: string) => (await refresh(head)).status === 200;
  const rotated = async () => {
    const used = await first();
    const { json } = await refresh(used);
    return { used, head: json.refresh_token ?? '', accessToken: json.access_token ?? '' };
  };

  it('answers a retry with the same successor, and with an access token of its own', async () => {
    const { used, head, accessToken } = await rotated();
    scene.clock.advanceSeconds(59);
    for (let times = 0; times < 2; times++) {
      const { status, json } = await refresh(used);
      expect([status, json.refresh_token, json.token_type]).toEqual([200, head, 'DPoP']);
      const claims = decodeJwt(json.access_token ?? '');
      expect(claims['cnf']).toEqual({ jkt: key.jkt });
      expect(claims.jti).not.toBe(decodeJwt(accessToken).jti);
    }
    expect(await lives(head)).toBe(true);
  });

  it('does not extend the chain, nor the time of the retry', async () => {
    const { used, head } = await rotated();
    scene.clock.advanceSeconds(40);
    expect((await refresh(used)).json.refresh_token).toBe(head);
    scene.clock.advanceSeconds(20);
    const late = await refresh(used);
    expect([late.status, late.json.error, late.json.error_description]).toEqual([400, 'invalid_grant', STALE]);
    expect(await lives(head)).toBe(true);
  });

  it('rejects an older token and one whose successor is used, and the chain lives', async () => {
    const { used, head } = await rotated();
    const { json } = await refresh(head);
    for (let times = 0; times < 5; times++) {
      const { status, json: answer } = await refresh(used);
      expect([status, answer.error, answer.error_description]).toEqual([400, 'invalid_grant', STALE]);
    }
    expect(await lives(json.refresh_token ?? '')).toBe(true);
  });

  it('narrows the access token of a retry as the retry asks, and widens nothing', async () => {
    const used = await first();
    const { json } = await refresh(used, proof(), { scope: 'read' });
    const again = await refresh(used, proof(), { scope: 'write' });
    expect([again.status, again.json.scope, again.json.refresh_token]).toEqual([200, 'write', json.refresh_token]);
    const wider = await refresh(used, proof(), { scope: 'read management:read' });
    expect([wider.status, wider.json.error]).toEqual([400, 'invalid_scope']);
    expect((await refresh(used)).json.refresh_token).toBe(json.refresh_token);
  });

  it.each<[string, (used: string) => Promise<{ readonly json: { readonly error?: string } }>]>([
    ['without a proof', unproven],
    ['with a proof of a thief', (used) => refresh(used, proof({}, thief))],
    ['with a proof for another method', (used) => refresh(used, proof({ method: 'GET' }))],
    ['with an old proof', (used) => refresh(used, proof({ now: new Date(scene.clock.now().getTime() - 600_000) }))],
  ])('ends the chain of a used token %s', async (_name, present) => {
    const { used, head } = await rotated();
    expect((await present(used)).json.error).toBe('invalid_grant');
    expect(await lives(head)).toBe(false);
  });

  it('ends the chain of a used token with a proof that was used before', async () => {
    const used = await first();
    const sent = proof();
    const { json } = await refresh(used, sent);
    expect((await refresh(used, sent)).json.error).toBe('invalid_grant');
    expect(await lives(json.refresh_token ?? '')).toBe(false);
  });

  it('ends the chain of a token that is bound to no key', async () => {
    const { code, verifier } = await scene.code({ client: app });
    const { json } = await ask(app, { grant_type: 'authorization_code', code, code_verifier: verifier });
    const { json: next } = await unproven(json.refresh_token ?? '');
    expect((await refresh(json.refresh_token ?? '')).json.error).toBe('invalid_grant');
    expect((await unproven(next.refresh_token ?? '')).json.error).toBe('invalid_grant');
  });

  it('ends the chain of a client with a secret, which is no proof', async () => {
    const { code, verifier } = await scene.code();
    const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const { json } = await ask(scene.client, fields, proof());
    const present = (refreshToken?: string) =>
      ask(scene.client, { grant_type: 'refresh_token', refresh_token: refreshToken ?? '' }, proof());
    const { json: next } = await present(json.refresh_token);
    expect((await present(json.refresh_token)).json.error).toBe('invalid_grant');
    expect((await present(next.refresh_token)).json.error).toBe('invalid_grant');
  });

  it('answers a retry of a client that authenticates by key, with a new assertion', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keyed = await makeClient(scene, {
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [{ ...pair.publicKey.export({ format: 'jwk' }), kid: 'k' } as never] },
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    let serial = 0;
    const present = async (fields: Fields) => {
      const now = Math.floor(scene.clock.now().getTime() / 1000);
      const assertion = await new SignJWT({ jti: `retry-${serial++}` })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer(keyed.clientId)
        .setSubject(keyed.clientId)
        .setAudience(ISSUER)
        .setExpirationTime(now + 60)
        .sign(pair.privateKey);
      return ask(keyed, { ...fields, client_assertion_type: JWT_BEARER, client_assertion: assertion });
    };
    const renew = (refreshToken = '') => present({ grant_type: 'refresh_token', refresh_token: refreshToken });
    const { code, verifier } = await scene.code({ client: keyed });
    const { json } = await present({ grant_type: 'authorization_code', code, code_verifier: verifier });
    const { json: next } = await renew(json.refresh_token);
    const again = await renew(json.refresh_token);
    expect([again.status, again.json.refresh_token]).toEqual([200, next.refresh_token]);
    const { json: third } = await renew(next.refresh_token);
    expect((await renew(json.refresh_token)).json.error_description).toBe(STALE);
    expect((await renew(third.refresh_token)).status).toBe(200);
  });

  it('records each retry with its presenter, and no stale token', async () => {
    const { used } = await rotated();
    await refresh(used);
    scene.clock.advanceSeconds(60);
    await refresh(used);
    const entries = await scene.database.drizzle
      .select()
      .from(transitions)
      .where(and(eq(transitions.clientId, app.clientId), eq(transitions.fromState, 'used')));
    expect(entries.at(-1)).toMatchObject({ machine: 'refreshToken', toState: 'used', reason: null, generation: 1n });
    expect(entries.at(-1)?.address).toBe('127.0.0.1');
    expect(entries.filter(({ reason }) => reason === 'newer_token_issued')).toEqual([]);
  });

  it('does not let introspection call a used token active', async () => {
    const { used, head } = await rotated();
    const introspected = async (sent: string) =>
      (
        await scene.app.inject({
          method: 'POST',
          url: '/oauth/introspect',
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            authorization: `Basic ${Buffer.from(`${scene.client.clientId}:${scene.client.secret}`).toString('base64')}`,
          },
          payload: new URLSearchParams({ token: sent }).toString(),
        })
      ).json();
    expect(await introspected(used)).toEqual({ active: false });
    expect(head).not.toBe(used);
  });

  it('ends the chain with a revocation by a used token, as before', async () => {
    const { used, head } = await rotated();
    const { statusCode } = await scene.app.inject({
      method: 'POST',
      url: '/oauth/revoke',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ token: used, client_id: app.clientId }).toString(),
    });
    expect(statusCode).toBe(200);
    expect((await refresh(used)).json.error).toBe('invalid_grant');
    expect(await lives(head)).toBe(false);
  });
});

describe('under a policy with a retry and nonces', () => {
  let scene: Scene;
  beforeAll(async () => {
    const configuration = withEveryPolicy({ provenRetrySeconds: 60, dpopNonceRequired: true });
    scene = await openScene(anyDatabase, { configuration });
  });
  afterAll(() => scene.close());

  it('asks a retry without the nonce for one, and ends nothing; a thief without the key ends the chain', async () => {
    const [key, thief] = [await proofKey(), await proofKey()];
    const app = await makeClient(scene, {
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    const send = (fields: Fields, nonce?: string, by = key) =>
      token(scene, app, fields, {
        dpop: proofOf(by, { url: URL_, now: scene.clock.now(), ...(nonce !== undefined && { nonce }) }),
      });
    const { code, verifier } = await scene.code({ client: app });
    const exchange = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const nonce = String((await send(exchange)).headers['dpop-nonce']);
    const { json } = await send(exchange, nonce);
    const used = { grant_type: 'refresh_token', refresh_token: json.refresh_token ?? '' };
    const { json: next } = await send(used, nonce);
    const asked = await send(used);
    expect([asked.status, asked.json.error]).toEqual([400, 'use_dpop_nonce']);
    expect((await send(used, String(asked.headers['dpop-nonce']))).json.refresh_token).toBe(next.refresh_token);
    expect((await send(used, undefined, thief)).json.error).toBe('invalid_grant');
    const head = { ...used, refresh_token: next.refresh_token ?? '' };
    expect((await send(head, nonce)).json.error).toBe('invalid_grant');
  });
});
