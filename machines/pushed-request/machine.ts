/**
 * The pushed request: authorization parameters that a client sends to the server itself, before the browser comes.
 *
 *   ┌──────────┐ received         ┌────────┐ answered         ┌──────┐
 *   │ unpushed │ ───────────────► │ pushed │ ───────────────► │ used │
 *   └──────────┘ (storeRequest)   └────────┘ (spendRequest)   └──────┘
 *
 * Opening its link changes nothing, so two tabs and a reload work. The answer to the client spends the request: a code, a refusal or an
 * error. The machine of the interaction sends `answered`, so that the answer and the use are one commit: of two answers, one wins. After
 * the end of the request, its link opens nothing more. An interaction that began in time lives by its own end.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram pushed-request` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { pushedRequestEffects } from './effects.ts';
import type { PushedRequestContext, PushedRequestEvent } from './facts.ts';
import { pushedRequestGuards } from './guards.ts';

const rejectUnknown = {
  actions: reject('pushed_request_unknown'),
  description: 'The server stored no such request.',
  meta: { spec: 'RFC 9126 §4' },
} as const satisfies SharedArm;

const rejectAnotherClient = {
  guard: 'ofAnotherClient',
  actions: reject('pushed_request_of_another_client'),
  description: 'The request_uri is bound to the client that pushed the request.',
  meta: { spec: 'RFC 9126 §2.2' },
} as const satisfies SharedArm;

const rejectUsed = {
  actions: reject('pushed_request_used'),
  description: 'The client has its answer, and gets no second one.',
  meta: { spec: 'RFC 9126 §4, §7.3' },
} as const satisfies SharedArm;

const storedBefore = {
  actions: reject('pushed_request_used'),
  description: 'Each request_uri is new, so it names one request.',
  meta: { spec: 'RFC 9126 §2.2' },
} as const satisfies SharedArm;

export const pushedRequestMachine = setup({
  types: { context: {} as PushedRequestContext, events: {} as PushedRequestEvent, meta: {} as Meta },
  guards: pushedRequestGuards as AtEveryEvent<typeof pushedRequestGuards, PushedRequestContext, PushedRequestEvent>,
  actions: pushedRequestEffects,
}).createMachine({
  id: 'pushedRequest',
  context: {} as PushedRequestContext,
  initial: 'unpushed',
  states: {
    unpushed: {
      description: 'Nothing is stored, and no request_uri exists.',
      meta: { spec: 'RFC 9126 §2.1' },
      on: {
        received: [
          {
            guard: 'tooManyAreOpen',
            actions: reject('too_many_pushed_requests'),
            description: 'So many requests of the client are open that the table would fill.',
            meta: { spec: 'RFC 9126 §2.3' },
          },
          {
            target: 'pushed',
            actions: 'storeRequest',
            description: 'The client is authenticated and the request valid: the client gets a request_uri.',
            meta: { spec: 'RFC 9126 §2.2' },
          },
        ],
        opened: rejectUnknown,
        answered: rejectUnknown,
      },
    },
    pushed: {
      description: 'Stored, and without an answer. A browser may open it until its end.',
      meta: { spec: 'RFC 9126 §2.2' },
      on: {
        received: storedBefore,
        opened: [
          rejectAnotherClient,
          {
            guard: 'expired',
            actions: reject('pushed_request_expired'),
            description: 'Too late: the client has to push it again.',
            meta: { spec: 'RFC 9126 §4' },
          },
          {
            actions: 'openRequest',
            description: 'The authorization request is the stored one. Other parameters of the browser do not count.',
            meta: { spec: 'RFC 9126 §4, RFC 9101 §6.3' },
          },
        ],
        answered: {
          target: 'used',
          actions: 'spendRequest',
          description: 'The client gets the only answer.',
          meta: { spec: 'RFC 9126 §4, §7.3' },
        },
      },
    },
    used: {
      description: 'The client has its answer. No arm leads out of this state.',
      meta: { spec: 'RFC 9126 §7.3' },
      on: { received: storedBefore, opened: [rejectAnotherClient, rejectUsed], answered: rejectUsed },
    },
  } as const satisfies Answers<typeof pushedRequestGuards, PushedRequestEvent>,
});
