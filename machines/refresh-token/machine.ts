/**
 * The refresh token: active → used → revoked. Each token is used once; its successor is the chain's new head.
 *
 *   presented by its client, in time       presented again, expired or not
 *   ┌────────┐  rotate, issueTokens ┌──────┐      revokeGrant      ┌─────────┐
 *   │ active │ ───────────────────► │ used │ ────────────────────► │ revoked │
 *   └────────┘                      └──────┘     (whole chain)     └─────────┘
 *                                     └─ with its proof, where the policy has a retry: repeatHead, issueTokens
 *
 * `active` is the head of its chain, `used` is every token before it. The loser of a race is a reuse too, so two parallel
 * presentations revoke the chain: no overlap, no grace period. `ahead` is authentic, but not in the stored chain. It is a later
 * generation than the head, the same generation with another nonce, or a chain that is not started. The store lost commits that
 * it had acknowledged, cannot know which tokens were used, and ends the whole chain.
 *
 * A token that is bound to a key issues with a proof of that key alone. Without it, the head stays as it is, and a used token
 * ends the chain.
 *
 * Where the policy has a retry (`provenRetrySeconds`, off by default), the holder of the key may present a used token. The token
 * directly behind the head gets that head again, for a bounded time: nothing forks, so one token of a chain is live. An older
 * token, or a later presentation, is rejected, and the chain stays active. The key is that of the token, else that of its client.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram refresh-token` (`--format json`).
 */
import { or, setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject, revokeGrant } from '../shared/effects.ts';
import { rejectWithWhatEndedTheGrant } from '../shared/ended-grant.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { rejectUnproven, rejectWrongProof } from '../shared/proof.ts';
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

/** The needs of the chain, the client and the request before tokens are issued. Each rejection changes nothing: the head stays valid. */
const rejectUnready = [
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
] as const satisfies readonly SharedArm[];

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
          ...rejectUnready,
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
            guard: or(['retryIsOff', 'holderUnproven']),
            target: 'revoked',
            actions: [revokeGrant('refreshTokenReused'), reject('refresh_token_reused')],
            description:
              'Reuse: a thief may have the token, or the client sent it twice. The server cannot tell, so the whole chain ends.',
            meta: { spec: 'OAuth 2.1 §4.3.1, RFC 9700 §4.14.2' },
          },
          {
            guard: or(['notThePredecessor', 'retriedTooLate']),
            actions: reject('newer_token_issued'),
            description:
              'Proven, but stale: the holder of the key has a newer token, or had the time to fetch it. The chain stays active.',
            meta: { spec: 'RFC 9700 §4.14.2' },
          },
          ...rejectWrongProof,
          ...rejectUnready,
          {
            actions: ['repeatHead', 'issueTokens'],
            description: 'Proven retry: the answer with the successor was lost. The same successor is answered again.',
            meta: { spec: 'RFC 9700 §4.14.2' },
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
