/**
 * The grant, root of the chain: active → revoked. The code and every refresh token that comes from one approval
 * live and end with it. Whatever ends a chain is an event here, and only this machine writes `revoked`.
 */
import { setup } from 'xstate';
import { effects, type GrantEvent, type Meta, writeRevoked } from './vocabulary.ts';

export const grantMachine = setup({
  types: { events: {} as GrantEvent, meta: {} as Meta },
  actions: effects,
}).createMachine({
  id: 'grant',
  initial: 'active',
  states: {
    active: {
      description: 'What the resource owner approved is in force.',
      meta: { spec: 'RFC 6749 §1.3' },
      on: {
        authorizationCodeReused: {
          target: 'revoked',
          actions: writeRevoked('authorization_code_reused'),
          description: 'The code was presented again by someone who holds its verifier.',
          meta: { spec: 'OAuth 2.1 §7.5.3' },
        },
        refreshTokenReused: {
          target: 'revoked',
          actions: writeRevoked('refresh_token_reused'),
          description: 'A used refresh token was presented again.',
          meta: { spec: 'OAuth 2.1 §4.3.1, RFC 9700 §4.14.2' },
        },
        chainFellBehind: {
          target: 'revoked',
          actions: writeRevoked('chain_behind_token'),
          description: 'A token newer than the stored head appeared: the store has lost commits.',
          meta: { spec: 'RFC 9700 §4.14.2' },
        },
        revocationRequested: {
          target: 'revoked',
          actions: writeRevoked('revocation_requested'),
          description: 'Its client, its resource owner or an operator asked for it.',
          meta: { spec: 'RFC 7009 §2' },
        },
      },
    },
    revoked: {
      description: 'Ended by decision, for good. The first reason stays.',
      meta: { spec: 'RFC 9700 §4.14.2' },
      on: {
        authorizationCodeReused: { description: 'Already ended.', meta: { spec: 'OAuth 2.1 §7.5.3' } },
        refreshTokenReused: { description: 'Already ended.', meta: { spec: 'RFC 9700 §4.14.2' } },
        chainFellBehind: { description: 'Already ended.', meta: { spec: 'RFC 9700 §4.14.2' } },
        revocationRequested: { description: 'Already ended.', meta: { spec: 'RFC 7009 §2.2' } },
      },
    },
  },
});
