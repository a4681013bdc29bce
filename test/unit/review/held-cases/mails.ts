/** Mails on their way to the relay. */
import { MAIL } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateOf } from './case.ts';

const update = updateOf('mails', 'id');
const insert = (instead: Readonly<Record<string, string>> = {}) =>
  insertCopy({
    table: 'mails',
    where: `id = '${MAIL.pending}'`,
    columns: 'purpose, domain_hash, user_id, gives_up_at, created_at',
    values: {
      id: 'gen_random_uuid()',
      sealed_contents: "'sea1ed'",
      state: "'pending'",
      attempts: '0',
      next_attempt_at: 'now()',
      ...instead,
    },
  });

const BEGINS = 'mails_begins_with_its_machine';
const ATTEMPTED = 'mails_is_attempted_while_pending';
const ERASED = 'mails_contents_are_only_erased';
const ENDS = 'mails_ends_once_with_a_reason';

export const mailCases: readonly HeldCase[] = [
  allowed('a mail is stored', insert()),
  refused(
    BEGINS,
    'a mail is stored as sent',
    insert({ state: "'sent'", sealed_contents: 'null', next_attempt_at: 'null', ended_at: 'now()' }),
  ),
  refused(BEGINS, 'a mail is stored with an attempt', insert({ attempts: '1' })),
  allowed('a mail is claimed', update(MAIL.pending, "attempts = 3, next_attempt_at = now() + interval '1 min'")),
  allowed('an attempt failed', update(MAIL.pending, 'next_attempt_at = now()')),
  refused(ATTEMPTED, 'two attempts of a mail are counted together', update(MAIL.pending, 'attempts = 4')),
  refused(ATTEMPTED, 'an attempt of a mail is taken back', update(MAIL.pending, 'attempts = 1')),
  refused(ATTEMPTED, 'a mail that was sent is attempted', update(MAIL.sent, 'attempts = 3')),
  refused(ERASED, 'a mail gets other contents', update(MAIL.pending, "sealed_contents = 'sea1ed again'")),
  refused(ENDS, 'the end of a mail is dated again', update(MAIL.sent, "ended_at = ended_at - interval '1 s'")),
  refused(ENDS, 'a mail that was dropped gets another reason', update(MAIL.dropped, "drop_reason = 'refused'")),
  allowed('a mail is deleted with its end-user', `delete from mails where id = '${MAIL.pending}' returning 1`),
  refused('mails_is_not_emptied', 'mails are emptied', 'truncate mails'),
];
