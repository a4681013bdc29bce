import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import {
  authorizationCodeState,
  chainPosition,
  endedBy,
  grantEndReason,
  grantState,
  refreshTokenState,
  sameBytes,
  subOfGrant,
} from '../../../src/model/grant.ts';
import { generations, nonces } from '../../support/arbitraries.ts';
import { chainGrant, codeGrant, NONCE } from '../lifecycles/given.ts';

describe('a grant', () => {
  test.each([
    ['client', 'which moved on', { liveClientEpoch: 1n }],
    ['client', 'which was deleted', { liveClientEpoch: null }],
    ['user', 'who moved on', { liveUserEpoch: 1n }],
    ['user', 'who was disabled', { liveUserEpoch: null }],
    ['server', 'which moved on', { liveServerEpoch: 1n }],
  ] as const)('is ended by its %s, %s, with its code and its tokens', (by, _, change) => {
    const grant = chainGrant(change);
    expect(endedBy(grant)).toBe(by);
    expect(grantState(grant)).toBe('revoked');
    expect(authorizationCodeState(grant)).toBe('revoked');
    expect(refreshTokenState(grant, { generation: 0n, nonce: NONCE })).toBe('revoked');
  });

  test('an epoch that decreased, as after a restored backup, ends it too', () => {
    const grant = chainGrant({ clientEpoch: 2n, liveClientEpoch: 1n });
    expect(grantState(grant)).toBe('revoked');
  });

  test('is active until an ending event', () => {
    expect(endedBy(codeGrant())).toBeNull();
    expect(grantState(codeGrant())).toBe('active');
  });
});

test('a code is active until the chain begins, then used', () => {
  expect(authorizationCodeState(codeGrant())).toBe('active');
  expect(authorizationCodeState(chainGrant())).toBe('used');
});

describe('a refresh token', () => {
  propertyTest.prop([generations, nonces, generations, nonces])(
    'is active exactly when it is the head: same generation, same nonce',
    (generation, nonce, headGeneration, headNonce) => {
      const grant = chainGrant({ refreshGeneration: headGeneration, refreshNonce: headNonce });
      const same = generation === headGeneration && Buffer.compare(nonce, headNonce) === 0;
      const other = generation < headGeneration ? 'used' : 'ahead';
      expect(refreshTokenState(grant, { generation, nonce })).toBe(same ? 'active' : other);
      expect(refreshTokenState(grant, { generation: headGeneration, nonce: headNonce })).toBe('active');
    },
  );

  propertyTest.prop([generations, nonces, fc.nat({ max: 15 }), fc.integer({ min: 1, max: 255 })])(
    'with one other byte in its nonce is not the head, and the chain never made it',
    (generation, nonce, place, change) => {
      const other = nonce.map((byte, index) => (index === place ? byte ^ change : byte));
      const grant = chainGrant({ refreshGeneration: generation, refreshNonce: nonce });
      expect(refreshTokenState(grant, { generation, nonce: other })).toBe('ahead');
    },
  );

  propertyTest.prop([generations, generations, nonces])(
    'behind the head is no sign of lost commits',
    (one, other, nonce) => {
      fc.pre(one !== other);
      const [behind, ahead] = one < other ? [one, other] : [other, one];
      expect(chainPosition(chainGrant({ refreshGeneration: ahead }), { generation: behind, nonce })).toBe('behind');
      expect(chainPosition(chainGrant({ refreshGeneration: behind }), { generation: ahead, nonce })).toBe('ahead');
    },
  );

  test('of a chain that has not started is ahead of it', () => {
    expect(refreshTokenState(codeGrant(), { generation: 0n, nonce: NONCE })).toBe('ahead');
  });
});

describe('the end of a grant', () => {
  const REVOKED = { state: 'revoked', revokedReason: 'refresh_token_reused' } as const;

  test.each([
    ['that is active', {}, null],
    ['by a decision', REVOKED, 'refresh_token_reused'],
    ['by a decision, before an epoch', { ...REVOKED, liveUserEpoch: 1n }, 'refresh_token_reused'],
    ['by its client', { liveClientEpoch: 1n }, 'client_ended'],
    ['by its end-user', { liveUserEpoch: null }, 'user_ended'],
    ['by its server', { liveServerEpoch: 1n }, 'server_epoch_raised'],
  ])('%s', (_, change, reason) => {
    const grant = chainGrant(change);
    expect(grantEndReason(grant)).toBe(reason);
    expect(grantState(grant)).toBe(reason === null ? 'active' : 'revoked');
  });

  test('reaches its code and its tokens', () => {
    expect(authorizationCodeState(codeGrant(REVOKED))).toBe('revoked');
    expect(refreshTokenState(chainGrant(REVOKED), { generation: 0n, nonce: NONCE })).toBe('revoked');
  });
});

test('a token of a chain that is not started is ahead of it', () => {
  expect(chainPosition(codeGrant(), { generation: 0n, nonce: NONCE })).toBe('ahead');
});

test('the sub of a grant is the imported one, or else the id', () => {
  expect(subOfGrant({ userId: 'an-id' })).toBe('an-id');
  expect(subOfGrant({ userId: 'an-id', sub: 'imported' })).toBe('imported');
});

test.each([
  [null, null, true],
  [null, new Uint8Array(), false],
  [new Uint8Array(), null, false],
  [new Uint8Array([1, 2]), new Uint8Array([1, 2]), true],
  [new Uint8Array([1, 2]), new Uint8Array([1, 3]), false],
  [new Uint8Array([1, 2]), new Uint8Array([1]), false],
  [new Uint8Array([1]), new Uint8Array([1, 2]), false],
])('%o and %o are the same bytes: %s', (left, right, are) => {
  expect(sameBytes(left, right)).toBe(are);
});
