/**
 * The code in a mail, with which an end-user signs in: unrequested → requested → active → used, spent or superseded.
 *
 *   ┌─────────────┐ requested    ┌───────────┐ identified  ┌────────┐ presented (useCode, accept)   ┌──────┐
 *   │ unrequested │ ───────────► │ requested │ ──────────► │ active │ ────────────────────────────► │ used │
 *   └─────────────┘ (storeCode,  └───────────┘ (sendCode)  └────────┘                               └──────┘
 *                    overtakeOlderCode) │                       │ presented, wrong too often         ┌───────┐
 *                                       ├───────────────────────┤ (spendWrongCodes) ───────────────► │ spent │
 *                                       │                       │                                    └───────┘
 *                                       └───────────────────────┘ overtaken (supersedeCode)     ┌────────────┐
 *                                                                 ────────────────────────────► │ superseded │
 *                                                                                               └────────────┘
 *
 * A code is stored before the server looks up the account. Where no account has the typed identifier, the code stays `requested`. Every
 * answer to a typed code is then that to a wrong code, so the page reveals no account.
 *
 * A code belongs to the browser that asked, and to the sign-in in which it asked. A thief who sees the code has another browser. A
 * newer code of the same browser ends the older one. A code that a stranger asks for in another browser ends none: otherwise the
 * stranger could keep the owner out.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram sign-in-code` (`--format json`).
 */
import { and, setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { signInCodeEffects } from './effects.ts';
import type { SignInCodeContext, SignInCodeEvent } from './facts.ts';
import { signInCodeGuards } from './guards.ts';

const fromAnotherBrowser = {
  guard: 'fromAnotherBrowser',
  actions: reject('another_browser'),
  description: 'Another browser asked for it: an attacker may have learned the code, or planted it.',
  meta: { spec: 'NIST SP 800-63B-4 §3.1.3.2' },
} as const satisfies SharedArm;

const fromAnotherPlace = {
  guard: 'fromAnotherPlace',
  actions: reject('another_place'),
  description: 'It was asked for in another sign-in of this browser.',
  meta: { spec: 'NIST SP 800-63B-4 §3.1.3.2' },
} as const satisfies SharedArm;

const isNotOffered = {
  guard: 'isNotOffered',
  actions: reject('not_offered'),
  description: 'The current policy offers no sign-in with a code by mail.',
} as const satisfies SharedArm;

const expired = {
  guard: 'expired',
  actions: reject('code_expired'),
  description: 'Too late.',
  meta: { spec: 'NIST SP 800-63B-4 §3.1.3.2' },
} as const satisfies SharedArm;

const userEnded = {
  guard: 'userEnded',
  actions: reject('user_ended'),
  description: 'The end-user was disabled or deleted, or there is none.',
  meta: { spec: 'OpenID Connect Core §3.1.2.3' },
} as const satisfies SharedArm;

const wrongTooOften = {
  target: 'spent',
  actions: ['spendWrongCodes', reject('code_mismatch')],
  description: 'One wrong code too many: the code is invalid from now on.',
  meta: { spec: 'NIST SP 800-63B-4 §3.2.2' },
} as const satisfies SharedArm;

const wrong = {
  actions: ['countWrongCode', reject('code_mismatch')],
  description: 'A wrong code, which counts.',
  meta: { spec: 'NIST SP 800-63B-4 §3.2.2' },
} as const satisfies SharedArm;

const overtaken = {
  target: 'superseded',
  actions: 'supersedeCode',
  description: 'The same browser asked for a newer code.',
  meta: { spec: 'NIST SP 800-63B-4 §3.1.3.2' },
} as const satisfies SharedArm;

const stay = { description: 'Its row stays as it is.' } as const satisfies SharedArm;
const unknown = {
  actions: reject('code_unknown'),
  description: 'No browser asked for it.',
} as const satisfies SharedArm;

/** In a state that has ended. */
const elsewhere = [
  {
    guard: 'fromAnotherBrowser',
    actions: reject('another_browser'),
    description: 'Another browser asked for it, and this one learns nothing of its end.',
  },
  {
    guard: 'fromAnotherPlace',
    actions: reject('another_place'),
    description: 'Another sign-in asked for it, and this one learns nothing of its end.',
  },
] as const satisfies readonly SharedArm[];

const rejectUsed = {
  actions: reject('code_used'),
  description: 'It has signed in once, and is invalid now.',
} as const satisfies SharedArm;

const rejectSpent = {
  actions: reject('code_spent'),
  description: 'Too many wrong codes were typed before.',
} as const satisfies SharedArm;

const rejectSuperseded = {
  actions: reject('code_superseded'),
  description: 'A newer code took its place.',
} as const satisfies SharedArm;

export const signInCodeMachine = setup({
  types: { context: {} as SignInCodeContext, events: {} as SignInCodeEvent, meta: {} as Meta },
  guards: signInCodeGuards as AtEveryEvent<typeof signInCodeGuards, SignInCodeContext, SignInCodeEvent>,
  actions: signInCodeEffects,
}).createMachine({
  id: 'signInCode',
  context: {} as SignInCodeContext,
  initial: 'unrequested',
  states: {
    unrequested: {
      description: 'Nothing is stored.',
      on: {
        requested: [
          isNotOffered,
          {
            target: 'requested',
            actions: ['storeCode', 'overtakeOlderCode'],
            description: 'Stored for every typed identifier, whether or not an account has it.',
            meta: { spec: 'NIST SP 800-63B-4 §3.1.3.2' },
          },
        ],
        identified: unknown,
        presented: unknown,
        overtaken: stay,
      },
    },
    requested: {
      description: 'Stored for a browser, and sent to no end-user.',
      on: {
        requested: { description: 'It was asked for already.' },
        identified: [
          isNotOffered,
          expired,
          userEnded,
          {
            guard: 'addressIsMissing',
            actions: reject('address_mismatch'),
            description: 'The account has no verified address, so there is no mailbox to send it to.',
            meta: { spec: 'NIST SP 800-63B-4 §3.1.3.1' },
          },
          {
            target: 'active',
            actions: 'sendCode',
            description: 'It becomes that of the account, and is sent to its verified address.',
            meta: { spec: 'NIST SP 800-63B-4 §3.1.3.2' },
          },
        ],
        presented: [
          fromAnotherBrowser,
          fromAnotherPlace,
          isNotOffered,
          expired,
          { guard: 'isLastWrongCode', ...wrongTooOften },
          wrong,
        ],
        overtaken,
      },
    },
    active: {
      description: 'In the mailbox of the end-user.',
      meta: { spec: 'NIST SP 800-63B-4 §3.1.3.2' },
      on: {
        requested: { description: 'It was asked for already.' },
        identified: [
          isNotOffered,
          expired,
          userEnded,
          {
            guard: 'identifiesAnother',
            actions: reject('code_is_anothers'),
            description: 'It was sent to an end-user before, and stays theirs.',
          },
          {
            actions: 'repeatCode',
            description: 'The mail may be lost with the process that made it: the same code is sent once more.',
          },
        ],
        presented: [
          fromAnotherBrowser,
          fromAnotherPlace,
          isNotOffered,
          expired,
          { guard: and(['isWrong', 'isLastWrongCode']), ...wrongTooOften },
          { guard: 'isWrong', ...wrong },
          userEnded,
          {
            guard: 'sessionsEnded',
            actions: reject('sessions_ended'),
            description: 'A password was set since it was sent, or the sessions of the end-user were ended otherwise.',
          },
          {
            guard: 'addressDiffers',
            actions: reject('address_mismatch'),
            description: 'The account has another address now, or one that is not verified.',
            meta: { spec: 'NIST SP 800-63B-4 §3.1.3.1' },
          },
          {
            target: 'used',
            actions: ['useCode', 'accept'],
            description: 'The end-user is signed in, this once; factors of the account follow.',
            meta: { spec: 'NIST SP 800-63B-4 §3.1.3.2' },
          },
        ],
        overtaken,
      },
    },
    used: {
      description: 'It has signed in, once. No arm leads out of this state.',
      meta: { spec: 'NIST SP 800-63B-4 §3.1.3.2' },
      on: {
        requested: stay,
        identified: rejectUsed,
        presented: [...elsewhere, rejectUsed],
        overtaken: stay,
      },
    },
    spent: {
      description: 'Wrong codes have used it up. No arm leads out of this state.',
      meta: { spec: 'NIST SP 800-63B-4 §3.2.2' },
      on: {
        requested: stay,
        identified: rejectSpent,
        presented: [...elsewhere, rejectSpent],
        overtaken: stay,
      },
    },
    superseded: {
      description: 'A newer code took its place. No arm leads out of this state.',
      meta: { spec: 'NIST SP 800-63B-4 §3.1.3.2' },
      on: {
        requested: stay,
        identified: rejectSuperseded,
        presented: [...elsewhere, rejectSuperseded],
        overtaken: stay,
      },
    },
  } as const satisfies Answers<typeof signInCodeGuards, SignInCodeEvent>,
});
