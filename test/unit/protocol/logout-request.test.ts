/** RP-Initiated Logout 1.0 §2 and §3: whom a request for sign-out is from, and where the browser may go. */
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/model/client.ts';
import { parseParameters } from '../../../src/oauth/parameters.ts';
import { afterLogout, LOGOUT_PARAMETERS, readLogoutRequest } from '../../../src/protocol/logout-request.ts';
import { client } from './ports.ts';

const OUT = 'https://shop.test/out';
const shop = client();
const other = client({ clientId: 'other', postLogoutRedirectUris: ['https://other.test/out'] });
const HINT = { sub: 'alice', aud: 'shop', sid: 'a session' };
const GONE = { ...HINT, aud: 'gone' };

/** Nothing is looked up that was not sent. */
function asText(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`asked for ${value}`);
  return value;
}

const read = (query: Record<string, string> | string, clients: readonly Client[] = [shop, other]) =>
  readLogoutRequest(
    parseParameters(typeof query === 'string' ? query : new URLSearchParams(query).toString(), LOGOUT_PARAMETERS),
    async (token) => ({ 'of-shop': HINT, 'of-gone': GONE })[asText(token)] ?? null,
    async (clientId) => clients.find((one) => one.clientId === asText(clientId)) ?? null,
  );

describe('a request for sign-out', () => {
  it.each<[string, Record<string, string>, object]>([
    ['that says nothing', {}, { hint: null, client: null, redirectUri: null, state: null }],
    ['that names a client', { client_id: 'shop' }, { hint: null, client: shop, redirectUri: null, state: null }],
    ['with a hint', { id_token_hint: 'of-shop' }, { hint: HINT, client: shop, redirectUri: null, state: null }],
    [
      'with a hint for the client that it names',
      { id_token_hint: 'of-shop', client_id: 'shop' },
      { hint: HINT, client: shop, redirectUri: null, state: null },
    ],
    [
      'with a hint for a client that is gone',
      { id_token_hint: 'of-gone' },
      { hint: GONE, client: null, redirectUri: null, state: null },
    ],
    [
      'back to the client',
      { client_id: 'shop', post_logout_redirect_uri: OUT, state: 's' },
      { hint: null, client: shop, redirectUri: OUT, state: 's' },
    ],
    [
      'back to the client of the hint',
      { id_token_hint: 'of-shop', post_logout_redirect_uri: OUT },
      { hint: HINT, client: shop, redirectUri: OUT, state: null },
    ],
  ])('%s', async (_, query, request) => {
    expect(await read(query)).toEqual({ kind: 'request', ...request });
  });

  it.each<[string, Record<string, string> | string, object]>([
    [
      'a parameter twice',
      'state=a&state=b&client_id=shop',
      { reason: 'malformed_request', clientId: 'shop', detail: expect.stringMatching(/^state ./) },
    ],
    [
      'too many parameters',
      'x=1&'.repeat(101),
      { reason: 'malformed_request', clientId: null, detail: expect.stringMatching(/^the request ./) },
    ],
    [
      'a hint of another server',
      { id_token_hint: 'forged', client_id: 'shop' },
      { reason: 'id_token_hint_unknown', clientId: 'shop' },
    ],
    [
      'a hint for another client',
      { id_token_hint: 'of-shop', client_id: 'other' },
      { reason: 'client_mismatch', clientId: 'shop' },
    ],
    ['an unknown client', { client_id: 'unknown' }, { reason: 'client_unknown', clientId: 'unknown' }],
    [
      'back to a client that is gone',
      { id_token_hint: 'of-gone', post_logout_redirect_uri: OUT },
      { reason: 'client_unknown', clientId: 'gone' },
    ],
    ['back to an unknown client', { post_logout_redirect_uri: OUT }, { reason: 'client_missing', clientId: null }],
    [
      'back to the URI of another client',
      { client_id: 'other', post_logout_redirect_uri: OUT },
      {
        reason: 'post_logout_redirect_uri_mismatch',
        clientId: 'other',
        registered: ['https://other.test/out'],
        received: OUT,
      },
    ],
    [
      'back to a URI that only begins alike',
      { client_id: 'shop', post_logout_redirect_uri: `${OUT}/` },
      { reason: 'post_logout_redirect_uri_mismatch', clientId: 'shop', registered: [OUT], received: `${OUT}/` },
    ],
    [
      'back to where codes are sent',
      { client_id: 'shop', post_logout_redirect_uri: 'https://shop.test/cb' },
      {
        reason: 'post_logout_redirect_uri_mismatch',
        clientId: 'shop',
        registered: [OUT],
        received: 'https://shop.test/cb',
      },
    ],
  ])('is rejected with %s', async (_, query, refused) => {
    expect(await read(query)).toEqual({ kind: 'refused', ...refused });
  });

  it('redirects with the state verbatim, or stays', () => {
    const request = { kind: 'request', hint: null, client: shop } as const;
    expect(afterLogout({ ...request, redirectUri: OUT, state: 'a b&c' })).toBe(`${OUT}?state=a+b%26c`);
    expect(afterLogout({ ...request, redirectUri: OUT, state: null })).toBe(OUT);
    expect(afterLogout({ ...request, redirectUri: null, state: 's' })).toBeNull();
  });
});
