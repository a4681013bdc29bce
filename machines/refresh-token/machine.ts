/**
 * The refresh token: active → used → revoked. Each token is used once; its successor is the chain's new head.
 *
 *   presented by its client, in time       presented again, expired or not
 *   ┌────────┐  rotate, issueTokens ┌──────┐      revokeGrant      ┌─────────┐
 *   │ active │ ───────────────────► │ used │ ────────────────────► │ revoked │
 *   └────────┘                      └──────┘     (whole chain)     └─────────┘
 *
 * `active` is the head of its chain, `used` is every token before it. The loser of a race is a reuse too, so two parallel
 * presentations revoke the chain: no overlap, no grace period. `ahead` is authentic, but not in the stored chain. It is a later
 * generation than the head, the same generation with another nonce, or a chain that is not started. The store lost commits that
 * it had acknowledged, cannot know which tokens were used, and ends the whole chain.
 *
 * A token that is bound to a key issues with a proof of that key alone. Without it, the head stays as it is; a used token ends
 * the chain with any proof and without one.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram refresh-token` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject, revokeGrant } from '../shared/effects.ts';
import { rejectWithWhatEndedTheGrant } from '../shared/ended-grant.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { rejectUnproven } from '../shared/proof.ts';
import { refreshTokenEffects } from './effects.ts';
import type { RefreshTokenContext, RefreshTokenEvent } from './facts.ts';
import { refreshTokenGuards } from './guards.ts';

/** Checked first, in every state: another client that presents a token must not harm its owner. */
const rejectOtherClient = {
  guard: 'byAnotherClient',
  actions: reject('client_mismatch'),
  description: 'Another client presents it: the token is bound to the client it was issued to.',
  meta: { spec: 'RFC 6749 §10.4' },
} as const satisfies SharedArm;

export const refreshTokenMachine = setup({
  types: { context: {} as RefreshTokenContext, events: {} as RefreshTokenEvent, meta: {} as Meta },
  guards: refreshTokenGuards as AtEveryEvent<typeof refreshTokenGuards, RefreshTokenContext, RefreshTokenEvent>,
  actions: refreshTokenEffects,
}).createMachine({
  id: 'refreshToken',
  context: {} as RefreshTokenContext,
  initial: 'active',
  states: {
    active: {
      description: 'The head of its chain; its client may use it once, until the chain ends.',
      meta: { spec: 'OAuth 2.1 §4.3' },
      on: {
        presented: [
          rejectOtherClient,
          ...rejectUnproven,
          {
            guard: 'expired',
            actions: reject('refresh_token_expired'),
            description: 'Too late: the chain idled out, or reached its absolute end.',
            meta: { spec: 'OAuth 2.1 §4.3.3, RFC 9700 §4.14.2' },
          },
          {
            guard: 'mayNotRefresh',
            actions: reject('refresh_not_allowed'),
            description:
              'The client lost the grant type, or offline_access where its policy asks for that. Nothing rotates, and the token stays valid.',
            meta: { spec: 'OpenID Connect Core §11, RFC 6749 §6' },
          },
          {
            guard: 'nothingIsLeft',
            actions: reject('grant_has_nothing_left'),
            description:
              'The effective scope is empty: the ceiling, the resources, or the role of the end-user leaves nothing of the grant. The token stays valid.',
            meta: { spec: 'RFC 6749 §3.3' },
          },
          {
            guard: 'scopeExceedsGrant',
            actions: reject('scope_exceeds_grant'),
            description: 'Scope may narrow at a refresh, never widen. The token stays valid.',
            meta: { spec: 'RFC 6749 §6' },
          },
          {
            guard: 'resourceExceedsGrant',
            actions: reject('resource_exceeds_grant'),
            description: 'A resource was requested that was not granted. The token stays valid.',
            meta: { spec: 'RFC 8707 §2.2' },
          },
          {
            target: 'used',
            actions: ['rotate', 'issueTokens'],
            description: 'First presentation, in time: the successor becomes the head.',
            meta: { spec: 'OAuth 2.1 §4.3.1' },
          },
        ],
      },
    },
    used: {
      description: 'A token before the head. It was used; presented again, expired or not, it counts as leaked.',
      meta: { spec: 'RFC 9700 §4.14.2' },
      on: {
        presented: [
          rejectOtherClient,
          {
            target: 'revoked',
            actions: [revokeGrant('refreshTokenReused'), reject('refresh_token_reused')],
            description:
              'Reuse: a thief may have the token, or the client sent it twice. The server cannot tell, so the whole chain ends.',
            meta: { spec: 'OAuth 2.1 §4.3.1, RFC 9700 §4.14.2' },
          },
        ],
      },
    },
    ahead: {
      description: 'Authentic, but not in the stored chain: commits were lost (a restored backup, a failover).',
      meta: { spec: 'RFC 9700 §4.14.2' },
      on: {
        presented: [
          rejectOtherClient,
          {
            target: 'revoked',
            actions: [revokeGrant('chainFellBehind'), reject('chain_behind_token')],
            description:
              'The store no longer knows which tokens were used, so it could miss a reuse: the whole chain ends.',
            meta: { spec: 'RFC 9700 §4.14.2' },
          },
        ],
      },
    },
    revoked: {
      description: 'Its grant has ended. No arm leads out of this state.',
      meta: { spec: 'RFC 9700 §4.14.2' },
      on: {
        presented: [rejectOtherClient, ...rejectWithWhatEndedTheGrant],
      },
    },
  } as const satisfies Answers<typeof refreshTokenGuards, RefreshTokenEvent>,
});
