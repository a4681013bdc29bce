/** Access tokens made by hand: forged, or correctly signed with wrong contents. */
import { createHmac, sign } from 'node:crypto';
import type { AccessTokenClaims } from '../../src/crypto/access-token.ts';
import { makeSigningKey, openSigningKey } from '../../src/crypto/signing-keys.ts';
import type { TestApp } from './app.ts';

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

export const claimsOf = (accessToken: string): AccessTokenClaims =>
  JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());

/** Signed by the server's own ES256 key, whatever header and claims say. */
export function signedByUs({ deps }: Pick<TestApp, 'deps'>, header: object, claims: object): string {
  const { kid, privateKey: key } = deps.keyRing.signerOf('ES256');
  const input = `${encoded({ alg: 'ES256', typ: 'at+jwt', kid, ...header })}.${encoded(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** Forgeries of the token `good`, by description. None may be accepted. */
export async function forgeriesOf(test: Pick<TestApp, 'deps' | 'keys'>, good: string): Promise<Map<string, string>> {
  const claims = claimsOf(good);
  const [header = '', payload = '', signature = ''] = good.split('.');
  const { kid } = test.deps.keyRing.signerOf('ES256');
  const publicKey = test.deps.keyRing.verifierOf(kid)?.publicKey;
  const stranger = await openSigningKey(test.keys, await makeSigningKey(test.keys, 'ES256'));
  const withHeader = (change: object) => encoded({ alg: 'ES256', typ: 'at+jwt', kid, ...change });
  const mac = (input: string) =>
    `${input}.${createHmac('sha256', publicKey?.export({ type: 'spki', format: 'pem' }) ?? '')
      .update(input)
      .digest('base64url')}`;
  const byStranger = (input: string) =>
    `${input}.${sign('sha256', Buffer.from(input), { key: stranger.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  return new Map([
    ['claims changed', `${header}.${encoded({ ...claims, scope: 'read write admin' })}.${signature}`],
    ['lives longer', `${header}.${encoded({ ...claims, exp: claims.exp + 1 })}.${signature}`],
    ['no signature', `${header}.${payload}.`],
    ['alg none', `${withHeader({ alg: 'none' })}.${payload}.`],
    ['alg none with a signature', signedByUs(test, { alg: 'none' }, claims)],
    ['HS256 with the public key', mac(`${withHeader({ alg: 'HS256' })}.${payload}`)],
    ['another alg than its key has', signedByUs(test, { alg: 'RS256' }, claims)],
    ['a stranger under our kid', byStranger(`${header}.${payload}`)],
    ['a stranger under their own', byStranger(`${withHeader({ kid: stranger.kid })}.${payload}`)],
    ['no kid', signedByUs(test, { kid: undefined }, claims)],
    ['an ID Token of ours', signedByUs(test, { typ: 'JWT' }, claims)],
    ['no typ', signedByUs(test, { typ: undefined }, claims)],
    ['a critical extension', signedByUs(test, { crit: ['x'], x: 1 }, claims)],
    ['another issuer', signedByUs(test, {}, { ...claims, iss: `${claims.iss}/` })],
    ['no issuer', signedByUs(test, {}, { ...claims, iss: undefined })],
    ['never expires', signedByUs(test, {}, { ...claims, exp: undefined })],
    ['expires in words', signedByUs(test, {}, { ...claims, exp: String(claims.exp) })],
    ['no jti', signedByUs(test, {}, { ...claims, jti: undefined })],
    ['a jti of another length', signedByUs(test, {}, { ...claims, jti: `${claims.jti}AAAA` })],
    ['an aud of numbers', signedByUs(test, {}, { ...claims, aud: [7] })],
    ['claims that are a list', signedByUs(test, {}, [claims])],
    ['a space in the signature', `${header}.${payload}.${signature.slice(0, 4)} ${signature.slice(4)}`],
    ['padding', `${good}=`],
    ['a fourth part', `${good}.x`],
    ['two parts', `${header}.${payload}`],
  ]);
}
