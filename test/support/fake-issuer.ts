/** An authorization server without a network: metadata, keys and introspection as a test says, by the `fetch` of a guard. */
import { KeyObject, sign } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose';
import { createGuard, type Guard, type GuardOptions } from '../../src/guard/index.ts';
import { type TestClock, testClock } from './clock.ts';

export const FAKE_ISSUER = 'https://as.example';
export const FAKE_RESOURCE = 'https://api.example/photos';
export const FAKE_METADATA = 'https://api.example/.well-known/oauth-protected-resource/photos';
const JWKS = `${FAKE_ISSUER}/keys`;
const INTROSPECTION = `${FAKE_ISSUER}/introspect`;
const METADATA = `${FAKE_ISSUER}/.well-known/oauth-authorization-server`;

export type FakeKey = { readonly jwk: JWK; readonly privateKey: CryptoKey; readonly publicKey: CryptoKey };

export async function fakeKey(kid: string, alg = 'ES256'): Promise<FakeKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }, privateKey, publicKey };
}

/** Made once: RSA keys take long. */
const made = new Map<string, Promise<FakeKey>>();
export const sharedKey = (kid: string, alg = 'ES256'): Promise<FakeKey> => {
  const key = made.get(`${kid} ${alg}`) ?? fakeKey(kid, alg);
  made.set(`${kid} ${alg}`, key);
  return key;
};

type Answer = (body: string, init: RequestInit) => Response | Promise<Response>;

export type FakeIssuer = {
  readonly clock: TestClock;
  readonly key: FakeKey;
  /** The content of the keys endpoint. */
  published: unknown[];
  /** The answer of each address; a test replaces them. */
  readonly answers: { metadata: Answer; keys: Answer; introspection: Answer };
  /** The last part of each URL that was asked. */
  readonly asked: string[];
  readonly fetch: typeof globalThis.fetch;
  readonly guard: (options?: Partial<GuardOptions>) => Guard;
  /** A good token, but for the changes. Undefined takes a claim away. */
  readonly token: (change?: Change) => Promise<string>;
};

export type Change = {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly signer?: FakeKey;
};

export async function fakeIssuer(): Promise<FakeIssuer> {
  const clock = testClock(new Date('2030-01-01T12:00:00Z'));
  const key = await sharedKey('first');
  const asked: string[] = [];
  const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });

  const issuer: FakeIssuer = {
    clock,
    key,
    published: [key.jwk],
    asked,
    answers: {
      metadata: () =>
        json({ issuer: FAKE_ISSUER, jwks_uri: JWKS, introspection_endpoint: INTROSPECTION, unknown: 'more' }),
      keys: () => json({ keys: issuer.published }),
      introspection: () => json({ active: true, scope: 'read write' }),
    },
    fetch: async (input, init = {}) => {
      const url = String(input);
      asked.push(url.slice(url.lastIndexOf('/') + 1));
      const answer = new Map([
        [METADATA, issuer.answers.metadata],
        [JWKS, issuer.answers.keys],
        [INTROSPECTION, issuer.answers.introspection],
      ]).get(url);
      return answer === undefined ? new Response('', { status: 404 }) : answer(String(init.body ?? ''), init);
    },
    guard: (options = {}) =>
      createGuard({
        issuer: FAKE_ISSUER,
        resource: FAKE_RESOURCE,
        fetch: issuer.fetch,
        now: () => clock.now(),
        ...options,
      }),
    token: async ({ claims = {}, header = {}, signer = key } = {}) => {
      const seconds = Math.floor(clock.now().getTime() / 1000);
      const all = {
        ...{ iss: FAKE_ISSUER, aud: FAKE_RESOURCE, sub: 'ada', client_id: 'photo-book', jti: 'a-jti' },
        ...{ scope: 'read', iat: seconds, exp: seconds + 900 },
        ...claims,
      };
      const { alg, kid } = signer.jwk;
      return signedBy(signer, { alg, typ: 'at+jwt', kid, ...header }, all);
    },
  };
  return issuer;
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Truly signed, whatever header and claims say. */
export function signedBy({ jwk, privateKey }: FakeKey, header: object, claims: unknown): string {
  const input = `${encoded(header)}.${encoded(claims)}`;
  const hash = jwk.kty === 'OKP' ? null : 'sha256';
  const key = { key: KeyObject.from(privateKey as never), dsaEncoding: 'ieee-p1363' as const };
  return `${input}.${sign(hash, Buffer.from(input), key).toString('base64url')}`;
}

export const bearer = (token: string, more: object = {}) => ({
  headers: { authorization: `Bearer ${token}` },
  ...more,
});
