/**
 * The `jti` of a proof, of which the sender signs one for each request: unused → used.
 *
 *   ┌────────┐ presented             ┌──────┐
 *   │ unused │ ────────────────────► │ used │
 *   └────────┘ (recordJti, accept)   └──────┘
 *
 * The assertion of a client is such a proof (RFC 7523), and so is a DPoP proof (RFC 9449). A stolen one is rejected after its first use, on every node. Nothing
 * is stored before the first use. Housekeeping removes the row once the proof has expired.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram used-jti` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta } from '../shared/arm.ts';
import { reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { usedJtiEffects } from './effects.ts';
import type { UsedJtiContext, UsedJtiEvent } from './facts.ts';
import { usedJtiGuards } from './guards.ts';

export const usedJtiMachine = setup({
  types: { context: {} as UsedJtiContext, events: {} as UsedJtiEvent, meta: {} as Meta },
  guards: usedJtiGuards as AtEveryEvent<typeof usedJtiGuards, UsedJtiContext, UsedJtiEvent>,
  actions: usedJtiEffects,
}).createMachine({
  id: 'usedJti',
  context: {} as UsedJtiContext,
  initial: 'unused',
  states: {
    unused: {
      description: 'Nothing is stored, and no request had it.',
      meta: { spec: 'RFC 7519 §4.1.7' },
      on: {
        presented: [
          {
            guard: 'expired',
            actions: reject('proof_expired'),
            description: 'Too late.',
            meta: { spec: 'RFC 7523 §3' },
          },
          {
            guard: 'livesTooLong',
            actions: reject('proof_lives_too_long'),
            description: 'It ends unreasonably far in the future.',
            meta: { spec: 'RFC 7523 §3' },
          },
          {
            guard: 'isFromFuture',
            actions: reject('proof_from_future'),
            description: 'Its clock is further ahead than clocks differ.',
            meta: { spec: 'FAPI 2.0 §5.3.2.1' },
          },
          {
            target: 'used',
            actions: ['recordJti', 'accept'],
            description: 'Accepted, this once.',
            meta: { spec: 'RFC 7523 §3' },
          },
        ],
      },
    },
    used: {
      description: 'A request had it, and no other is accepted with it. No arm leads out of this state.',
      meta: { spec: 'RFC 7523 §3' },
      on: {
        presented: {
          actions: reject('proof_reused'),
          description: 'It is used once, whatever the node.',
          meta: { spec: 'RFC 7523 §3' },
        },
      },
    },
  } as const satisfies Answers<typeof usedJtiGuards, UsedJtiEvent>,
});
