/**
 * The authorization code: active → used → revoked.
 *
 *   presented, all right, in time          presented again, all right
 *   ┌────────┐      issueTokens     ┌──────┐      revokeGrant      ┌─────────┐
 *   │ active │ ───────────────────► │ used │ ────────────────────► │ revoked │
 *   └────────┘                      └──────┘                       └─────────┘
 *
 * A wrong presentation (client, redirect URI, verifier, proof of a key) changes nothing in any state. Otherwise an attacker who intercepts a code
 * could end a sign-in that they cannot redeem (OAuth 2.1 §7.5.3).
 *
 * As a picture or as JSON, whole: `npx statehouse diagram authorization-code` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject, revokeGrant } from '../shared/effects.ts';
import { rejectWithWhatEndedTheGrant } from '../shared/ended-grant.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { rejectUnproven } from '../shared/proof.ts';
import { authorizationCodeEffects } from './effects.ts';
import type { AuthorizationCodeContext, AuthorizationCodeEvent } from './facts.ts';
import { authorizationCodeGuards } from './guards.ts';

/** Checked first, in every state. The client comes before everything else, so that another client learns the least. */
const rejectWrongPresentation = [
  {
    guard: 'byAnotherClient',
    actions: reject('client_mismatch'),
    description: 'Another client presents it: the code is bound to the client it was issued to.',
    meta: { spec: 'OAuth 2.1 §4.1.3, RFC 6749 §4.1.3' },
  },
  {
    guard: 'redirectUriDiffers',
    actions: reject('redirect_uri_mismatch'),
    description: 'A redirect URI was sent that differs from the redirect URI of the authorization request.',
    meta: { spec: 'OAuth 2.1 §10.2' },
  },
  {
    guard: 'verifierDiffers',
    actions: reject('code_verifier_mismatch'),
    description: 'The code_verifier does not match the code_challenge: the code may have been intercepted.',
    meta: { spec: 'RFC 7636 §4.6' },
  },
  ...rejectUnproven,
] as const satisfies readonly SharedArm[];

export const authorizationCodeMachine = setup({
  types: { context: {} as AuthorizationCodeContext, events: {} as AuthorizationCodeEvent, meta: {} as Meta },
  guards: authorizationCodeGuards as AtEveryEvent<
    typeof authorizationCodeGuards,
    AuthorizationCodeContext,
    AuthorizationCodeEvent
  >,
  actions: authorizationCodeEffects,
}).createMachine({
  id: 'authorizationCode',
  context: {} as AuthorizationCodeContext,
  initial: 'active',
  states: {
    active: {
      description: 'Issued by an approval; its client may exchange it once, until it ends.',
      meta: { spec: 'OAuth 2.1 §4.1.2' },
      on: {
        presented: [
          ...rejectWrongPresentation,
          {
            guard: 'expired',
            actions: reject('authorization_code_expired'),
            description: 'Too late. Expired is a fact about now, asked before anything that issues.',
            meta: { spec: 'OAuth 2.1 §4.1.2' },
          },
          {
            guard: 'nothingIsLeft',
            actions: reject('grant_has_nothing_left'),
            description:
              'The effective scope is empty: the ceiling, the resources, or the role of the end-user leaves nothing of the grant. The code stays valid.',
            meta: { spec: 'RFC 6749 §3.3' },
          },
          {
            guard: 'resourceExceedsGrant',
            actions: reject('resource_exceeds_grant'),
            description: 'A resource was requested that was not granted. The code stays valid.',
            meta: { spec: 'RFC 8707 §2.2' },
          },
          {
            target: 'used',
            actions: ['beginChain', 'issueTokens'],
            description: 'The right client, verifier and redirect URI, in time: the only exchange.',
            meta: { spec: 'OAuth 2.1 §4.1.3' },
          },
        ],
      },
    },
    used: {
      description: 'Exchanged. Presented again, expired or not, it counts as leaked.',
      meta: { spec: 'OAuth 2.1 §4.1.3' },
      on: {
        presented: [
          ...rejectWrongPresentation,
          {
            target: 'revoked',
            actions: [revokeGrant('authorizationCodeReused'), reject('authorization_code_reused')],
            description: 'Reuse with the right verifier: every token that came from the code ends.',
            meta: { spec: 'OAuth 2.1 §7.5.3, RFC 6749 §4.1.2' },
          },
        ],
      },
    },
    revoked: {
      description: 'Its grant has ended. No arm leads out of this state.',
      meta: { spec: 'OAuth 2.1 §4.1.2' },
      on: {
        presented: [...rejectWrongPresentation, ...rejectWithWhatEndedTheGrant],
      },
    },
  } as const satisfies Answers<typeof authorizationCodeGuards, AuthorizationCodeEvent>,
});
