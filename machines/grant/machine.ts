/**
 * The grant, root of the chain: active → revoked. The code and all refresh tokens that come from an approval live and end
 * with it. Every decision that ends a grant is an arm here. Time is not: a grant whose code or chain has expired stays `active`
 * here, and `expired` in the machines of the code and the refresh token rejects it.
 *
 *   A reuse, a chain that fell behind, a revocation and an end by an administrator are about this grant: only they write
 *   `revoked` into its row.
 *   The other events are about its client, its end-user or the server. No request sends them to this machine: src/storage raises
 *   the epoch there, and every grant that was made under an older epoch is read as revoked from then on and for good, since epochs only
 *   rise. Its row is not written. The arms state the consequences, and the proof walks them.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram grant` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta } from '../shared/arm.ts';
import { raiseEpoch } from '../shared/effects.ts';
import type { Answers } from '../shared/events.ts';
import { grantEffects, writeRevoked } from './effects.ts';
import type { GrantEvent } from './facts.ts';

const stayRevoked = (spec: string) => ({
  description: 'It has ended already: its row stays as it is.',
  meta: { spec },
});

export const grantMachine = setup({
  types: { events: {} as GrantEvent, meta: {} as Meta },
  actions: grantEffects,
}).createMachine({
  id: 'grant',
  initial: 'active',
  states: {
    active: {
      description: 'The approval of the end-user is in force.',
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
          description:
            'An authentic token appeared that the stored chain does not contain: the store has lost commits.',
          meta: { spec: 'RFC 9700 §4.14.2' },
        },
        revocationRequested: {
          target: 'revoked',
          actions: writeRevoked('revocation_requested'),
          description: 'Its client revoked a token of it, or its end-user ended the access of the client.',
          meta: { spec: 'RFC 7009 §2' },
        },
        endRequestedByAdministrator: {
          target: 'revoked',
          actions: writeRevoked('ended_by_administrator'),
          description: 'An administrator ended it.',
          meta: { spec: 'RFC 9700 §4.14.2' },
        },
        clientDeleted: {
          target: 'revoked',
          actions: raiseEpoch('client'),
          description: 'Its client was deleted. Registering the client again revives nothing.',
          meta: { spec: 'RFC 7592 §2.3' },
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
          meta: { spec: 'OAuth 2.1 §4.3.3, RFC 9700 §4.14.2' },
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
      description: 'Ended for good. No arm leads out of this state.',
      meta: { spec: 'RFC 9700 §4.14.2' },
      on: {
        authorizationCodeReused: stayRevoked('OAuth 2.1 §7.5.3'),
        refreshTokenReused: stayRevoked('RFC 9700 §4.14.2'),
        chainFellBehind: stayRevoked('RFC 9700 §4.14.2'),
        revocationRequested: stayRevoked('RFC 7009 §2.2'),
        endRequestedByAdministrator: stayRevoked('RFC 9700 §4.14.2'),
        clientDeleted: stayRevoked('RFC 9700 §4.14.2'),
        userDisabled: stayRevoked('RFC 9700 §4.14.2'),
        passwordChanged: stayRevoked('RFC 9700 §4.14.2'),
        serverRecovered: stayRevoked('RFC 9700 §4.14.2'),
      },
    },
  } as const satisfies Answers<object, GrantEvent>,
});
