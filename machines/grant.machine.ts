/**
 * The grant, root of the chain: active → revoked. The code and all refresh tokens that come from an approval live and end
 * with it. Every way in which a grant ends is an arm here.
 *
 *   Four events are about this grant: only they write `revoked` into its row.
 *   Four are about its client, its end-user or the server, and raise the epoch there. A grant that was made under an older
 *   epoch is revoked from that moment on and for good, since epochs only rise. Its row is not written.
 */
import { setup } from 'xstate';
import { effects, type GrantEvent, type Meta, raiseEpoch, writeRevoked } from './vocabulary.ts';

const stayRevoked = (spec: string) => ({
  description: 'It has ended already; the first reason stays.',
  meta: { spec },
});

export const grantMachine = setup({
  types: { events: {} as GrantEvent, meta: {} as Meta },
  actions: effects,
}).createMachine({
  id: 'grant',
  initial: 'active',
  states: {
    active: {
      description: 'What the end-user approved is in force.',
      meta: { spec: 'RFC 6749 §1.3' },
      on: {
        authorizationCodeReused: {
          target: 'revoked',
          actions: writeRevoked('authorization_code_reused'),
          description: 'The code was presented again with the right verifier.',
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
          description: 'Its client, its end-user or an operator asked for it.',
          meta: { spec: 'RFC 7009 §2' },
        },
        clientDeleted: {
          target: 'revoked',
          actions: raiseEpoch('client'),
          description: 'Its client was deleted. Registering the client again revives nothing.',
          meta: { spec: 'RFC 7009 §2, RFC 9700 §4.14.2' },
        },
        userDisabled: {
          target: 'revoked',
          actions: raiseEpoch('user'),
          description: 'Its end-user was disabled. Enabling the end-user again revives nothing.',
          meta: { spec: 'RFC 9700 §4.14.2' },
        },
        passwordChanged: {
          target: 'revoked',
          actions: raiseEpoch('user'),
          description: 'Its end-user got a new password: the old one may have been stolen.',
          meta: { spec: 'RFC 9700 §4.14.2' },
        },
        serverRecovered: {
          target: 'revoked',
          actions: raiseEpoch('server'),
          description: 'The operator ended every older grant, as after restoring a backup.',
          meta: { spec: 'RFC 9700 §4.14.2' },
        },
      },
    },
    revoked: {
      description: 'Ended for good. Nothing leads out of here.',
      meta: { spec: 'RFC 9700 §4.14.2' },
      on: {
        authorizationCodeReused: stayRevoked('OAuth 2.1 §7.5.3'),
        refreshTokenReused: stayRevoked('RFC 9700 §4.14.2'),
        chainFellBehind: stayRevoked('RFC 9700 §4.14.2'),
        revocationRequested: stayRevoked('RFC 7009 §2.2'),
        clientDeleted: stayRevoked('RFC 9700 §4.14.2'),
        userDisabled: stayRevoked('RFC 9700 §4.14.2'),
        passwordChanged: stayRevoked('RFC 9700 §4.14.2'),
        serverRecovered: stayRevoked('RFC 9700 §4.14.2'),
      },
    },
  },
});
