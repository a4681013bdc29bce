/** RFC 6750 §2: a token by the header or by the body, never by both. */
import { describe, expect, it } from 'vitest';
import { readBearer } from '../../../src/oauth/bearer.ts';

const token = (text: string, scheme = 'bearer') => ({ kind: 'token', scheme, token: text });

describe('a bearer token', () => {
  it.each<[string | undefined, string | null, unknown]>([
    [undefined, null, { kind: 'none' }],
    ['Bearer abc', null, token('abc')],
    ['bearer abc', null, token('abc')],
    ['BEARER    abc', null, token('abc')],
    ['Bearer Az09-._~+/==', null, token('Az09-._~+/==')],
    [undefined, 'abc', token('abc')],
    ['DPoP abc', null, token('abc', 'dpop')],
    ['dpop  abc', null, token('abc', 'dpop')],
    ['DPoP abc', 'abc', { kind: 'malformed' }],
    ['DPoP ', null, { kind: 'malformed' }],
    ['XDPoP abc', null, { kind: 'none' }],
    // Another scheme presents no bearer token.
    ['Basic abc', null, { kind: 'none' }],
    ['XBearer abc', null, { kind: 'none' }],
    ['Bearerabc', null, { kind: 'none' }],
    ['Bearer', null, { kind: 'none' }],
    ['Bearer abc', 'abc', { kind: 'malformed' }],
    ['Basic abc', 'abc', { kind: 'malformed' }],
    ['Bearer ', null, { kind: 'malformed' }],
    ['Bearer ==', null, { kind: 'malformed' }],
    ['Bearer a=b', null, { kind: 'malformed' }],
    ['Bearer abc def', null, { kind: 'malformed' }],
    ['Bearer "abc"', null, { kind: 'malformed' }],
    ['Bearer é', null, { kind: 'malformed' }],
    ['Bearer abc,Bearer def', null, { kind: 'malformed' }],
    ['Bearer abc\ndef', null, { kind: 'none' }],
    [undefined, '', { kind: 'malformed' }],
    [undefined, 'abc ', { kind: 'malformed' }],
    [undefined, '\nabc', { kind: 'malformed' }],
  ])('is read from the header %j and the body %j', (header, inBody, reading) => {
    expect(readBearer(header, inBody)).toEqual(reading);
  });
});
