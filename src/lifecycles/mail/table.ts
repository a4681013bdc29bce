import { sql } from 'drizzle-orm';
import { check, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { DropReason, MailState } from '../../../machines/mail/facts.ts';
import { bytes, instant } from '../columns.ts';
import { anHourBefore, earlier, ofDeletedUsers } from '../retention.ts';
import {
  beginsFirst,
  changed,
  endsWithReason,
  isNotEmptied,
  keeps,
  movesWithMachine,
  quoted,
  refuses,
} from '../rules.ts';
import { described, PASSING } from '../table.ts';
import type { MailPurpose } from './purpose.ts';

/** Mails on their way to the relay (machines/mail/machine.ts). */
export const mails = pgTable(
  'mails',
  {
    id: uuid('id').primaryKey(),
    purpose: text('purpose').$type<MailPurpose>().notNull(),
    /** Of the recipient's domain, under a key from the root secret: the domains share the queue, and the table names none. */
    domainHash: bytes('domain_hash').notNull(),
    /** The `sub` of the end-user whom the mail is for; null: no account. */
    userId: uuid('user_id'),
    /** Address, words and link, sealed under the root secret for this id. Null: erased with the end. */
    sealedContents: text('sealed_contents'),
    state: text('state').$type<MailState>().notNull(),
    attempts: integer('attempts').notNull(),
    /** No node attempts the mail before; while an attempt is under way, the end of its claim. Null: the mail has ended. */
    nextAttemptAt: instant('next_attempt_at'),
    givesUpAt: instant('gives_up_at').notNull(),
    createdAt: instant('created_at').notNull(),
    endedAt: instant('ended_at'),
    dropReason: text('drop_reason').$type<DropReason>(),
  },
  (table) => [
    index('mails_pending')
      .on(table.purpose, table.domainHash, table.nextAttemptAt)
      .where(sql`${table.state} = 'pending'`),
    index('mails_gives_up_at').on(table.givesUpAt),
    index('mails_user_id').on(table.userId),
    check('mails_purpose', sql`${table.purpose} in ('notice', 'link')`),
    check('mails_state', sql`${table.state} in ('pending', 'sent', 'dropped')`),
    check('mails_pending_is_due', sql`(${table.state} = 'pending') = (${table.nextAttemptAt} is not null)`),
    check('mails_pending_has_contents', sql`(${table.state} = 'pending') = (${table.sealedContents} is not null)`),
    check('mails_ended', sql`(${table.state} = 'pending') = (${table.endedAt} is null)`),
    check('mails_dropped_has_reason', sql`(${table.state} = 'dropped') = (${table.dropReason} is not null)`),
  ],
);

export const mailTable = described(mails, {
  machine: 'mail',
  key: mails.id,
  /** As of a delivery. `secret`: erased with the end, and never set again. */
  changes: {
    state: 'state',
    attempts: 'attempt',
    nextAttemptAt: 'due',
    sealedContents: 'secret',
    endedAt: 'end',
    dropReason: 'end',
  },
  // Its contents are sealed for this id.
  beginsOnce: { name: (row) => `${row}.id::text`, until: 'OLD.gives_up_at' },
  spreadBy: mails.id,
  rights: PASSING,
  counted: { newest: mails.givesUpAt },
  removal: (now) => [
    // The time of a mail has ended, sent or not: also where no node sends mails any more.
    { ended: sql`${mails.givesUpAt} < ${anHourBefore(earlier(now))}`, over: mails.givesUpAt },
    ofDeletedUsers(mails.userId),
  ],
  personal: {
    name: 'mails',
    owner: mails.userId,
    // The contents are sealed, and end with the mail.
    shown: [mails.purpose, mails.state, mails.createdAt, mails.endedAt],
    since: mails.createdAt,
    // Also one that waits: the end-user is gone, and so is the address.
    erasure: 'removed',
  },
  rules: [
    beginsFirst('a mail begins in the first state of its machine, with no attempt', 'NEW.attempts <> 0'),
    keeps('keeps_what_was_written', 'a mail stays that of its recipient'),
    movesWithMachine('mail'),
    endsWithReason(
      'ends_once_with_a_reason',
      ['ended_at', 'drop_reason'],
      { by: 'dropMail', reason: 'drop_reason' },
      'a mail ends with its state, and is dropped for a reason that its machine writes',
    ),
    refuses(
      'is_attempted_while_pending',
      { update: ['attempts'] },
      'only a pending mail is attempted, and attempts are counted by one',
      ({ machine }) => [
        `OLD.state <> ${quoted(machine.initial)} AND ${changed(['attempts'])}`,
        'NEW.attempts NOT IN (OLD.attempts, OLD.attempts + 1)',
      ],
    ),
    refuses(
      'contents_are_only_erased',
      { update: ['sealed_contents'] },
      'the contents of a mail stay as they are, and are erased with its end',
      [`NEW.sealed_contents IS NOT NULL AND ${changed(['sealed_contents'])}`],
    ),
    isNotEmptied('mails end one by one'),
  ],
});
