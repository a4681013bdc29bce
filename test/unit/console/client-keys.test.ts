/** The public keys of a client on its page. */
import { describe, expect, it } from 'vitest';
import { keysOf } from '../../../src/console/client-keys.ts';

const URI = 'https://client.example/keys';
const NEVER = { keys: [], fetched_at: null, tried_at: null, problem: null };

describe('the page of a client', () => {
  it('has no keys for a client without any', () => {
    expect(keysOf({}, NEVER)).toBe('');
  });

  it('shows the registered keys, without a fetch', () => {
    const ofPlatform = { jwks_uri: URI, token_endpoint_auth_method: 'workload_jwt' };
    expect(keysOf(ofPlatform, NEVER)).toContain('<h2>Public keys of its platform</h2>');
    const body = keysOf({ jwks: {} }, { ...NEVER, keys: [{ kid: 'now', kty: 'EC', crv: 'P-256' }] });
    expect(body).toContain('<code>now</code>');
    expect(body).toContain('EC P-256');
    expect(body).not.toContain('fetch');
  });

  it('says when this node fetched the published keys, and why the last fetch failed', () => {
    expect(keysOf({ jwks_uri: URI }, NEVER)).toContain('Never by this node.');
    const at = '2026-11-26T12:00:00.000Z';
    expect(keysOf({ jwks_uri: URI }, { ...NEVER, fetched_at: at, tried_at: at })).toContain(
      `This node fetched them <time datetime="${at}">`,
    );
    const failed = keysOf({ jwks_uri: URI }, { ...NEVER, tried_at: at, problem: 'No <answer>.' });
    expect(failed).toContain('No &#60;answer&#62;.');
  });
});
