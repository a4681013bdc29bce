/**
 * The mail: a message, or a request for messages, on its way to the relay (RFC 5321).
 *
 *                 succeeded (recordDelivery)
 *   ┌─────────┐ ─────────────────────────────────────────────────────────────► ┌─────────┐
 *   │ pending │                                                                │  sent   │
 *   └─────────┘ ─────────────────────────────────────────────────────────────► └─────────┘
 *     claimed, failed   last attempt failed, too old, refused, displaced (dropMail) ┌─────────┐
 *                    ─────────────────────────────────────────────────────────────► │ dropped │
 *                                                                                   └─────────┘
 *
 * A node claims a mail before each attempt, as it claims the delivery of a webhook. When the node dies, the claim runs out and another node
 * attempts the mail again: the relay may get a mail twice (docs/decisions/0059). The contents are erased with the end.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram mail` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { dropMail, mailEffects } from './effects.ts';
import type { MailContext, MailEvent } from './facts.ts';
import { mailGuards } from './guards.ts';

const SPEC = { spec: 'RFC 5321 §4.5.4.1' } as const;

const usedUp = {
  guard: 'attemptsUsedUp',
  target: 'dropped',
  actions: dropMail('attempts_used_up'),
  meta: SPEC,
} as const;

const send = {
  target: 'sent',
  actions: 'recordDelivery',
  description: 'The relay accepted the mail, or the mails that were requested wait as mails of their own.',
  meta: { spec: 'RFC 5321 §4.2.5' },
} as const satisfies SharedArm;

const hasEnded = { description: 'The mail has ended: no node attempts it.' } as const satisfies SharedArm;

export const mailMachine = setup({
  types: { context: {} as MailContext, events: {} as MailEvent, meta: {} as Meta },
  guards: mailGuards as AtEveryEvent<typeof mailGuards, MailContext, MailEvent>,
  actions: mailEffects,
}).createMachine({
  id: 'mail',
  context: {} as MailContext,
  initial: 'pending',
  states: {
    pending: {
      description: 'The mail is stored, and the relay has not accepted it.',
      meta: SPEC,
      on: {
        claimed: [
          { guard: 'notDue', description: 'The next attempt is later, or another node attempts the mail now.' },
          { ...usedUp, description: 'The node of the last attempt died without a report.' },
          {
            guard: 'tooOld',
            target: 'dropped',
            actions: dropMail('too_old'),
            description: 'The mail waited longer than its contents are valid.',
            meta: SPEC,
          },
          {
            actions: 'claimDelivery',
            description: 'This node attempts the mail; no other node does until the claim runs out.',
          },
        ],
        succeeded: send,
        failed: [
          { guard: 'overtaken', description: 'A node has claimed a later attempt: its outcome counts.' },
          { ...usedUp, description: 'The last attempt failed.' },
          {
            guard: 'tooOld',
            target: 'dropped',
            actions: dropMail('too_old'),
            description: 'The next attempt would come too late.',
            meta: SPEC,
          },
          {
            actions: 'retryDelivery',
            description: 'Another attempt follows, after a longer wait.',
            meta: SPEC,
          },
        ],
        refused: {
          target: 'dropped',
          actions: dropMail('refused'),
          description: 'The relay refused the mail for good.',
          meta: { spec: 'RFC 5321 §4.2.1' },
        },
        displaced: {
          target: 'dropped',
          actions: dropMail('queue_full'),
          description: 'The queue is full, and a domain with fewer mails in the queue needs the place.',
        },
      },
    },
    sent: {
      description: 'The relay accepted the mail.',
      meta: SPEC,
      on: {
        claimed: hasEnded,
        succeeded: { description: 'The relay accepted the mail twice: the node of the first attempt was late.' },
        failed: hasEnded,
        refused: hasEnded,
        displaced: hasEnded,
      },
    },
    dropped: {
      description: 'The server attempts the mail no more.',
      meta: SPEC,
      on: {
        claimed: hasEnded,
        succeeded: { ...send, description: 'The relay accepted the mail in an attempt that was under way.' },
        failed: hasEnded,
        refused: hasEnded,
        displaced: hasEnded,
      },
    },
  } as const satisfies Answers<typeof mailGuards, MailEvent>,
});
