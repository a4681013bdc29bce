/** Running nodes follow the table of signing keys: the published, signing and accepted keys. */

import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSigning } from '../../../src/boot/key-ring.ts';
import { keysInDatabase } from '../../../src/crypto/key-source.ts';
import { requestRevocation, requestRotation } from '../../../src/lifecycles/signing-key/lifecycle.ts';
import { commandLine } from '../../../src/model/actor.ts';
import { makeLogger } from '../../../src/system/logger.ts';
import { obtainTokens, refresh, token } from '../../support/actors.ts';
import { shippedConfiguration, type TestApp, testKeys } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { anyDatabase, openTestDatabase } from '../../support/database.ts';
import { type Nodes, openNodes } from '../../support/nodes.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { introspect, revoke } from '../../support/sent-token.ts';
import { keysOf, LIFETIMES, POLICY, storedKeys } from '../../support/signing-keys.ts';

const jwksOf = async ({ app }: TestApp) => (await app.inject('/.well-known/jwks.json')).json() as JSONWebKeySet;

describe('two nodes that run while keys come and go', () => {
  let scene: Nodes;
  beforeEach(async () => {
    scene = await openNodes();
  });
  afterEach(() => scene.close());

  const accessToken = async (node: TestApp) =>
    (await token(node, scene.client, { grant_type: 'client_credentials' })).json.access_token ?? '';
  const kidsOf = async (node: TestApp) =>
    (await jwksOf(node)).keys.filter((one) => one.alg === 'ES256').map((one) => one.kid);
  /** @returns the kid. @throws when the JWKS of this node does not verify it. */
  const verifiedBy = async (node: TestApp, jwt: string) => {
    const { protectedHeader } = await jwtVerify(jwt, createLocalJWKSet(await jwksOf(node)), {
      currentDate: scene.clock.now(),
      typ: 'at+jwt',
      algorithms: ['ES256'],
    });
    return protectedHeader.kid;
  };
  const outside = () => keysOf(scene.database.drizzle, scene.clock, { algorithms: POLICY.algorithms });
  const poll = () => Promise.all(scene.nodes.map((node) => node.deps.keepKeys()));
  const every = async (ofNode: (node: TestApp) => Promise<unknown>) => Promise.all(scene.nodes.map(ofNode));

  it('publish a successor before it signs, sign with it at the handover, and drop the old one when its tokens have expired', async () => {
    const [first, second] = scene.nodes;
    const [old = ''] = await kidsOf(first);
    scene.clock.advanceSeconds(1);
    const [change] = await requestRotation(outside(), 'ES256', false, commandLine);
    const fresh = change?.kid ?? '';
    expect(await every(kidsOf)).toEqual([[old], [old]]);
    await poll();
    expect(await every(kidsOf)).toEqual([
      [fresh, old],
      [fresh, old],
    ]);
    expect(await verifiedBy(second, await accessToken(first))).toBe(old);

    scene.clock.advanceSeconds(LIFETIMES.publishedBeforeSigningSeconds);
    await first.deps.keepKeys();
    // One node has seen the handover, the other has not: both verify the signatures of either.
    expect(await verifiedBy(second, await accessToken(first))).toBe(fresh);
    const last = await accessToken(second);
    expect(await verifiedBy(first, last)).toBe(old);
    await poll();
    expect(await verifiedBy(first, await accessToken(second))).toBe(fresh);

    scene.clock.advanceSeconds(899);
    expect(await verifiedBy(second, last)).toBe(old);
    scene.clock.advanceSeconds(LIFETIMES.retiringSeconds - 899);
    await poll();
    expect(await every(kidsOf)).toEqual([[fresh], [fresh]]);
    expect(first.deps.keyRing.verifierOf(old)).toBeNull();
  });

  it('rotate by themselves, from year to year', async () => {
    const [first, second] = scene.nodes;
    const seen = new Set<string | undefined>();
    for (let hours = 0; hours < 24 * 200; hours += 12) {
      scene.clock.advanceSeconds(12 * 3600);
      await (hours % 24 === 0 ? first : second).deps.keepKeys();
      await poll();
      const kid = await verifiedBy(second, await accessToken(first));
      seen.add(kid);
      expect(await verifiedBy(first, await accessToken(second))).toBe(kid);
    }
    expect(seen.size).toBe(3);
    expect((await storedKeys(scene.database.drizzle)).filter((one) => one.state === 'signing')).toHaveLength(2);
  });

  it('neither publish nor accept a revoked key, and sign with another immediately', async () => {
    const [first, second] = scene.nodes;
    const stolen = await accessToken(first);
    const [leaked = ''] = await kidsOf(first);
    expect(second.deps.keyRing.verifierOf(leaked)).toMatchObject({ alg: 'ES256' });
    await requestRevocation(outside(), leaked, commandLine);
    await poll();
    for (const node of scene.nodes) {
      expect(await kidsOf(node)).not.toContain(leaked);
      expect(node.deps.keyRing.verifierOf(leaked)).toBeNull();
      await expect(verifiedBy(node, stolen)).rejects.toThrow('no applicable key');
      expect(await verifiedBy(node, await accessToken(node))).not.toBe(leaked);
    }
    expect(await kidsOf(first)).toEqual(await kidsOf(second));
  });

  it('accept immediately the key that another node signs with after a revocation, and revoke its tokens', async () => {
    const [first, second] = scene.nodes;
    const [leaked = ''] = await kidsOf(first);
    await requestRevocation(outside(), leaked, commandLine);
    await first.deps.keepKeys();
    const fresh = await obtainTokens(first, scene.client, scene.user, { scope: 'openid' });
    expect(second.deps.keyRing.verifierOf(await verifiedBy(first, fresh.accessToken).then(String))).toBeNull();
    expect((await introspect(second, scene.client, fresh.accessToken)).json).toMatchObject({ active: true });

    const [next = ''] = await kidsOf(first);
    scene.clock.advanceSeconds(1);
    await requestRevocation(outside(), next, commandLine);
    await first.deps.keepKeys();
    const { accessToken, refreshToken } = await obtainTokens(first, scene.client, scene.user, { scope: 'openid' });
    expect((await revoke(second, scene.client, accessToken)).status).toBe(200);
    expect((await refresh(first, scene.client, refreshToken)).json.error).toBe('invalid_grant');
  });

  it('log each step of a key, and no private half', async () => {
    const secrets = (await storedKeys(scene.database.drizzle)).map((one) => one.privateJwe ?? '');
    scene.clock.advanceSeconds(LIFETIMES.signingLifetimeSeconds);
    await poll();
    scene.clock.advanceSeconds(LIFETIMES.publishedBeforeSigningSeconds);
    await poll();
    secrets.push(...(await storedKeys(scene.database.drizzle)).map((one) => one.privateJwe ?? ''));
    const logs = scene.nodes.map((node) => node.logs()).join('');
    for (const [from, to] of [
      ['unpublished', 'published'],
      ['published', 'signing'],
      ['signing', 'retiring'],
    ]) {
      expect(logs).toMatch(new RegExp(`"from":"${from}","to":"${to}","reason":null.*"msg":"signing key"`));
    }
    for (const secret of secrets.filter(Boolean)) expect(logs).not.toContain(secret.slice(-40));
  });

  it('look up the signer, and open it once only', async () => {
    const { keyRing, keepKeys } = scene.nodes[0].deps;
    const [signer, published] = [keyRing.signerOf('ES256'), keyRing.published()];
    await keepKeys();
    expect(keyRing.signerOf('ES256')).toBe(signer);
    expect(keyRing.published()).toBe(published);
    await requestRotation(outside(), 'RS256', true, commandLine);
    await keepKeys();
    expect(keyRing.signerOf('ES256')).toBe(signer);
    expect(() => keyRing.signerOf('EdDSA')).toThrow('No key signs with EdDSA.');
  });
});

describe('a node whose polls fail', () => {
  it('continues with the keys that it has, reports it, and follows again', async () => {
    const { database, close } = await openTestDatabase(anyDatabase);
    const lines: string[] = [];
    const logger = makeLogger({
      level: 'info',
      readable: false,
      destination: { write: (line) => void lines.push(line) },
    });
    let isAway = false;
    const db = new Proxy(database.drizzle, {
      get: (target, name) => {
        if (isAway && (name === 'select' || name === 'with')) throw new Error('the database is away');
        return Reflect.get(target, name);
      },
    });
    const clock = testClock();
    const { keyRing, keepKeys } = await openSigning({
      db,
      keys: testKeys,
      source: keysInDatabase(testKeys),
      clock,
      logger,
      policy: () => POLICY,
    });
    const signer = keyRing.signerOf('ES256');
    const outside = keysOf(database.drizzle, clock);
    await requestRotation(outside, 'ES256', true, commandLine);
    isAway = true;
    await keepKeys();
    expect(keyRing.signerOf('ES256')).toBe(signer);
    expect(keyRing.published()).toHaveLength(2);
    expect(lines.join('')).toMatch(/"level":50.*the rotation of signing keys failed; the next round retries/);
    expect(lines.join('')).toMatch(/"level":50.*this node keeps its current keys/);
    isAway = false;
    await keepKeys();
    expect(keyRing.signerOf('ES256').kid).not.toBe(signer.kid);
    expect(keyRing.published()).toHaveLength(3);
    await close();
  });
});

describe('the JWKS', () => {
  let scene: Scene;
  beforeAll(async () => {
    const signingKeys = {
      ...POLICY,
      algorithms: ['ES256' as const, 'RS256' as const, 'EdDSA' as const],
      jwksMaxAgeSeconds: 120,
    };
    scene = await openScene(anyDatabase, { configuration: { ...shippedConfiguration, signingKeys } });
  });
  afterAll(() => scene.close());
  const get = (headers: Record<string, string> = {}) => scene.app.inject({ url: '/.well-known/jwks.json', headers });

  it('may be cached for as long as the policy says', async () => {
    const { headers } = await get();
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=120',
      'content-type': 'application/jwk-set+json; charset=utf-8',
      etag: expect.stringMatching(/^"[\w-]{43}"$/),
    });
  });

  it('has a public key of each algorithm', async () => {
    const { keys } = await jwksOf(scene);
    const shapes = keys.map((one) => [one.alg, one.kty, one.crv, Object.keys(one).sort().join()]).sort();
    expect(shapes).toEqual([
      ['ES256', 'EC', 'P-256', 'alg,crv,kid,kty,use,x,y'],
      ['EdDSA', 'OKP', 'Ed25519', 'alg,crv,kid,kty,use,x'],
      ['RS256', 'RSA', undefined, 'alg,e,kid,kty,n,use'],
    ]);
  });

  it('is not sent again to a cache that has it (RFC 9110 §13.1.2)', async () => {
    const etag = String((await get()).headers.etag);
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const reply = await get({ 'if-none-match': value });
      expect({ value, status: reply.statusCode, body: reply.body }).toEqual({ value, status: 304, body: '' });
      expect(reply.headers).toMatchObject({ etag, 'cache-control': 'public, max-age=120' });
    }
    for (const value of ['"other"', etag.slice(1, -1), '', 'W/"*"']) {
      expect((await get({ 'if-none-match': value })).statusCode, value).toBe(200);
    }
  });

  it('has another ETag when a key comes or goes', async () => {
    const etag = String((await get()).headers.etag);
    await scene.deps.keepKeys();
    expect((await get()).headers.etag).toBe(etag);
    await requestRotation(keysOf(scene.database.drizzle, scene.clock), 'ES256', false, commandLine);
    await scene.deps.keepKeys();
    const reply = await get({ 'if-none-match': etag });
    expect(reply.statusCode).toBe(200);
    expect(reply.headers.etag).not.toBe(etag);
  });
});
