/** The memory of token requests whose chain had ended. */
import { describe, expect, it } from 'vitest';
import { endedChains } from '../../../src/protocol/ended-chains.ts';

const BODY = 'grant_type=refresh_token&client_id=agent&refresh_token=old';
const request = (body = BODY, sender: { authorization?: string; dpop?: string } = {}) => ({
  body,
  sender: { authorization: sender.authorization, dpop: sender.dpop },
});
const ended = { reason: 'grant_revoked', facts: 'facts', client: { tokenEndpointAuthMethod: 'none' } } as const;

describe('a memory of ended chains', () => {
  const open = () => {
    const clock = { now: 0 };
    return { clock, chains: endedChains<string>(() => clock.now) };
  };

  it('finds the same request for a minute, and not longer', () => {
    const { clock, chains } = open();
    expect(chains.find(request())).toBeNull();
    chains.remember(request(), ended);
    clock.now = 59_999;
    expect(chains.find(request())).toMatchObject({ facts: 'facts' });
    clock.now = 60_000;
    expect(chains.find(request())).toBeNull();
  });

  it.each([
    ['another body', request(`${BODY}2`)],
    ['an Authorization header', request(BODY, { authorization: 'Basic YTpi' })],
    ['a proof', request(BODY, { dpop: 'proof' })],
  ])('finds nothing for %s', (_what, other) => {
    const { chains } = open();
    chains.remember(request(), ended);
    expect(chains.find(other)).toBeNull();
  });

  it('confuses no Authorization header with a part of a body', () => {
    const { chains } = open();
    chains.remember(request('b', { authorization: 'a' }), ended);
    expect(chains.find(request('ab'))).toBeNull();
    expect(chains.find(request('', { authorization: 'ab' }))).toBeNull();
  });

  it.each([
    ['refresh_token_reused', 'none'],
    ['newer_token_issued', 'none'],
    ['client_ended', 'none'],
    ['refresh_token_expired', 'none'],
    ['refresh_not_allowed', 'client_secret_basic'],
    ['grant_revoked', 'private_key_jwt'],
    ['grant_revoked', 'tls_client_auth'],
  ] as const)('does not remember %s of a client with %s', (reason, method) => {
    const { chains } = open();
    chains.remember(request(), { ...ended, reason, client: { tokenEndpointAuthMethod: method } });
    expect(chains.find(request())).toBeNull();
  });

  it.each(['grant_revoked', 'user_ended', 'server_epoch_raised'] as const)('remembers %s', (reason) => {
    const { chains } = open();
    chains.remember(request(), { ...ended, reason, client: { tokenEndpointAuthMethod: 'client_secret_post' } });
    expect(chains.find(request())).toMatchObject({ facts: 'facts' });
  });

  it('does not remember a request with a proof', () => {
    const { chains } = open();
    chains.remember(request(BODY, { dpop: 'proof' }), ended);
    expect(chains.find(request())).toBeNull();
  });

  it('forgets the oldest of 10,001 requests', () => {
    const { chains } = open();
    for (let n = 0; n <= 10_000; n++) chains.remember(request(`${n}`), ended);
    expect([0, 1, 10_000].map((n) => chains.find(request(`${n}`)))).toMatchObject([
      null,
      { facts: 'facts' },
      { facts: 'facts' },
    ]);
  });
});
