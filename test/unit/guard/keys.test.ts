/** Keys rotate without a restart; invented key ids cost the server next to nothing; the guard outlasts an unreachable server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK } from 'jose';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Outcome } from '../../../src/guard/index.ts';
import { bearer, FAKE_ISSUER, type FakeIssuer, fakeIssuer, fakeKey, sharedKey } from '../../support/fake-issuer.ts';

const NEEDS = { scopes: ['read'] };
const verdict = (outcome: Outcome) => (outcome.kind === 'granted' ? 'granted' : outcome.reason);
const down = () => new Response('', { status: 500 });

describe('the keys of the issuer', () => {
  let issuer: FakeIssuer;
  beforeEach(async () => {
    issuer = await fakeIssuer();
  });
  const fetches = () => issuer.asked.filter((one) => one === 'keys').length;

  it('are fetched once for concurrent requests, and cached', async () => {
    const guard = issuer.guard();
    const token = await issuer.token();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => guard.check(bearer(token), NEEDS)));
    expect(outcomes.map(verdict)).toEqual(Array.from({ length: 20 }, () => 'granted'));
    issuer.clock.advanceSeconds(500);
    await guard.check(bearer(token), NEEDS);
    expect(issuer.asked).toEqual(['oauth-authorization-server', 'keys']);
  });

  it('rotate without a restart, and the old one stays valid as long as it is published', async () => {
    const guard = issuer.guard();
    const old = await issuer.token();
    await guard.check(bearer(old), NEEDS);
    const next = await sharedKey('second');
    issuer.published = [issuer.key.jwk, next.jwk];
    issuer.clock.advanceSeconds(10);
    const outcomes = await Promise.all([
      guard.check(bearer(await issuer.token({ signer: next })), NEEDS),
      guard.check(bearer(await issuer.token({ signer: next })), NEEDS),
      guard.check(bearer(old), NEEDS),
    ]);
    expect(outcomes.map(verdict)).toEqual(['granted', 'granted', 'granted']);
    expect(fetches()).toBe(2);
  });

  it('are trusted only for the cache time once they are withdrawn', async () => {
    const guard = issuer.guard();
    const check = async () => verdict(await guard.check(bearer(await issuer.token()), NEEDS));
    await check();
    issuer.published = [(await sharedKey('second')).jwk];
    issuer.clock.advanceSeconds(599);
    expect(await check()).toBe('granted');
    issuer.clock.advanceSeconds(1);
    expect(await check()).toBe('unknown_key');
  });

  it('are not fetched for every invented key id', async () => {
    const guard = issuer.guard();
    const madeUp = async (kid: string) =>
      verdict(await guard.check(bearer(await issuer.token({ header: { kid } })), NEEDS));
    for (let index = 0; index < 50; index += 1) expect(await madeUp(`kid-${index}`)).toBe('unknown_key');
    expect(fetches()).toBe(1);
    issuer.clock.advanceSeconds(9);
    await madeUp('more');
    expect(fetches()).toBe(1);
    issuer.clock.advanceSeconds(1);
    for (let index = 0; index < 50; index += 1) await madeUp(`kid-${index}`);
    expect(fetches()).toBe(2);
  });

  it('stay valid while the issuer is away, for the configured time, and are fetched again when it is back', async () => {
    const guard = issuer.guard();
    const check = async () => guard.check(bearer(await issuer.token()), NEEDS);
    await check();
    const { keys } = issuer.answers;
    issuer.answers.keys = down;
    issuer.clock.advanceSeconds(3599);
    expect(verdict(await check())).toBe('granted');
    issuer.clock.advanceSeconds(1);
    const outcome = await check();
    expect(outcome).toMatchObject({
      kind: 'unavailable',
      status: 503,
      reason: 'keys',
      detail: `GET ${FAKE_ISSUER}/keys: answered 500`,
      headers: { 'retry-after': '2', 'cache-control': 'no-store', vary: 'Authorization' },
      body: { error: 'temporarily_unavailable' },
    });
    issuer.answers.keys = keys;
    issuer.clock.advanceSeconds(2);
    expect(verdict(await check())).toBe('granted');
    const madeUp = bearer(await issuer.token({ header: { kid: 'made up' } }));
    expect(verdict(await guard.check(madeUp, NEEDS))).toBe('unknown_key');
  });

  it('do not delay requests while the issuer is known to be away, and arrive when it is back', async () => {
    const guard = issuer.guard({ keys: { timeoutMilliseconds: 60_000 } });
    const check = async (change = {}) => verdict(await guard.check(bearer(await issuer.token(change)), NEEDS));
    await check();
    issuer.answers.keys = down;
    issuer.clock.advanceSeconds(600);
    expect(await check()).toBe('granted');
    issuer.clock.advanceSeconds(2);
    let answer = (_response: Response) => {};
    let signal: AbortSignal | null | undefined;
    issuer.answers.keys = (_body, init) => {
      signal = init.signal;
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    expect(await check()).toBe('granted');
    expect(fetches()).toBe(3);
    expect(signal?.aborted).toBe(false);
    const next = await sharedKey('second');
    answer(Response.json({ keys: [next.jwk] }));
    expect(await check({ signer: next })).toBe('granted');
    expect(await check()).toBe('unknown_key');
    expect(fetches()).toBe(3);
  });

  it('are not requested again and again while the issuer is away', async () => {
    const guard = issuer.guard();
    issuer.answers.keys = down;
    const check = async (change = {}) => guard.check(bearer(await issuer.token(change)), NEEDS);
    for (let index = 0; index < 20; index += 1) await check({ header: { kid: `kid-${index}` } });
    expect(fetches()).toBe(1);
    issuer.clock.advanceSeconds(2);
    await check();
    expect(fetches()).toBe(2);
  });

  it('that are unknown do not blame the caller while the issuer is unreachable', async () => {
    const guard = issuer.guard();
    await guard.check(bearer(await issuer.token()), NEEDS);
    issuer.answers.keys = down;
    issuer.clock.advanceSeconds(10);
    const next = await sharedKey('second');
    const outcomes = await Promise.all([
      guard.check(bearer(await issuer.token({ signer: next })), NEEDS),
      guard.check(bearer(await issuer.token()), NEEDS),
    ]);
    expect(outcomes.map((one) => one.kind)).toEqual(['unavailable', 'granted']);
  });

  it('are fetched again when the clock was set back', async () => {
    const guard = issuer.guard();
    await guard.check(bearer(await issuer.token()), NEEDS);
    issuer.clock.advanceSeconds(-86_400);
    expect(verdict(await guard.check(bearer(await issuer.token()), NEEDS))).toBe('granted');
    expect(fetches()).toBe(2);
  });

  it.each<[string, () => Response | Promise<Response>, string]>([
    ['no JSON', () => new Response('<html>'), 'the answer is not JSON'],
    ['a text', () => new Response('"keys"'), 'there is no key for signatures in it'],
    ['no list', () => new Response('{"keys":{}}'), 'there is no key for signatures in it'],
    ['no keys', () => new Response('{"keys":[]}'), 'there is no key for signatures in it'],
    ['no body', () => new Response(null), 'the answer is not JSON'],
    ['too much', () => new Response(' '.repeat(300_000)), 'answered more than 262144 bytes'],
    ['another status', () => new Response('{}', { status: 201 }), 'answered 201'],
    ['nothing', () => new Promise(() => undefined), 'no answer within 1 ms'],
    [
      'a body without an end',
      () => new Response(new ReadableStream({ pull: () => new Promise(() => undefined) })),
      'no answer within 1 ms',
    ],
    [
      'a failure',
      () => Promise.reject(Object.assign(new TypeError('secret'), { cause: { code: 'ECONNREFUSED' } })),
      'could not be asked (ECONNREFUSED)',
    ],
    ['a failure without a name', () => Promise.reject(undefined), 'could not be asked (no reason given)'],
  ])('are missing when the issuer answers %s', async (_name, answer, detail) => {
    issuer.answers.keys = answer;
    // Long where an answer comes, so that no slow machine is in the way.
    const timeoutMilliseconds = detail.includes('1 ms') ? 1 : 60_000;
    const outcome = await issuer
      .guard({ keys: { timeoutMilliseconds }, jwksUri: `${FAKE_ISSUER}/keys` })
      .check(bearer(await issuer.token()), NEEDS);
    expect(outcome).toMatchObject({
      kind: 'unavailable',
      reason: 'keys',
      detail: `GET ${FAKE_ISSUER}/keys: ${detail}`,
    });
  });

  it('are selected from a list with other entries', async () => {
    const { jwk } = issuer.key;
    issuer.published = [
      null,
      7,
      {},
      { kty: 'oct', kid: 'first', k: 'c2VjcmV0', alg: 'HS256' },
      { ...jwk, use: 'enc' },
      { ...jwk, kid: undefined },
      { ...jwk, kid: 'broken', x: 'not a point' },
      jwk,
    ];
    const guard = issuer.guard();
    expect(verdict(await guard.check(bearer(await issuer.token()), NEEDS))).toBe('granted');
    expect(verdict(await guard.check(bearer(await issuer.token({ header: { kid: 'broken' } })), NEEDS))).toBe(
      'unknown_key',
    );
  });

  it('are at most a hundred, and none with a published private part', async () => {
    const others = Array.from({ length: 99 }, (_, index) => ({ ...issuer.key.jwk, kid: `other-${index}` }));
    const next = await sharedKey('second');
    issuer.published = [...others, issuer.key.jwk, next.jwk];
    const guard = issuer.guard();
    expect(verdict(await guard.check(bearer(await issuer.token()), NEEDS))).toBe('granted');
    expect(verdict(await guard.check(bearer(await issuer.token({ signer: next })), NEEDS))).toBe('unknown_key');
    issuer.published = [{ ...issuer.key.jwk, ...(await exportJWK(issuer.key.privateKey)) }, next.jwk];
    expect(verdict(await issuer.guard().check(bearer(await issuer.token()), NEEDS))).toBe('unknown_key');
  });

  it('are not fetched from the target of a redirect', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/keys') return void response.writeHead(302, { location: '/elsewhere' }).end();
      response.end(JSON.stringify({ keys: issuer.published }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const at = async (path: string) => {
      const guard = issuer.guard({ fetch: globalThis.fetch, jwksUri: `http://127.0.0.1:${port}/${path}` });
      return verdict(await guard.check(bearer(await issuer.token()), NEEDS));
    };
    expect([await at('elsewhere'), await at('keys')]).toEqual(['granted', 'keys']);
  });

  it('that share an id accept no token', async () => {
    issuer.published = [(await fakeKey('first')).jwk, issuer.key.jwk];
    expect(verdict(await issuer.guard().check(bearer(await issuer.token()), NEEDS))).toBe('unknown_key');
  });

  it('too small for RSA accept no token', async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'small', alg: 'RS256', use: 'sig' };
    issuer.published = [jwk];
    const { webcrypto } = await import('node:crypto');
    const signer = {
      jwk: jwk as never,
      privateKey: (await webcrypto.subtle.importKey(
        'pkcs8',
        privateKey.export({ type: 'pkcs8', format: 'der' }),
        { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
        true,
        ['sign'],
      )) as never,
      publicKey: undefined as never,
    };
    expect(await issuer.guard().check(bearer(await issuer.token({ signer })), NEEDS)).toMatchObject({
      kind: 'refused',
      error: 'invalid_token',
    });
  });
});

describe('the metadata of the issuer', () => {
  it.each<[string, unknown]>([
    ['of another', { issuer: 'https://other.example', jwks_uri: `${FAKE_ISSUER}/keys` }],
    ['without keys', { issuer: FAKE_ISSUER }],
    ['with keys where there is no TLS', { issuer: FAKE_ISSUER, jwks_uri: 'http://as.example/keys' }],
    ['with keys in a file', { issuer: FAKE_ISSUER, jwks_uri: 'file:///etc/keys' }],
    ['with keys that are no URL', { issuer: FAKE_ISSUER, jwks_uri: '/keys' }],
    ['that are a list', []],
  ])('are invalid when they are %s', async (_name, metadata) => {
    const issuer = await fakeIssuer();
    issuer.answers.metadata = () => Response.json(metadata);
    const outcome = await issuer.guard().check(bearer(await issuer.token()), NEEDS);
    expect(outcome).toMatchObject({ kind: 'unavailable', reason: 'keys' });
    expect(issuer.asked).toEqual(['oauth-authorization-server']);
  });

  it('are not requested where the address of the keys is configured', async () => {
    const issuer = await fakeIssuer();
    const guard = issuer.guard({ jwksUri: `${FAKE_ISSUER}/keys` });
    expect(verdict(await guard.check(bearer(await issuer.token()), NEEDS))).toBe('granted');
    expect(issuer.asked).toEqual(['keys']);
  });

  it('may become unreachable after the first answer', async () => {
    const issuer = await fakeIssuer();
    const guard = issuer.guard();
    await guard.check(bearer(await issuer.token()), NEEDS);
    issuer.answers.metadata = down;
    issuer.clock.advanceSeconds(600);
    const next = await sharedKey('second');
    issuer.published = [next.jwk];
    expect(verdict(await guard.check(bearer(await issuer.token({ signer: next })), NEEDS))).toBe('granted');
  });
});
