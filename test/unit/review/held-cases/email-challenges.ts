/** Links in mails: how one is stored, and what becomes of it. Its row may go at any time: nobody knows the link then. */
import { LINK } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateLink } from './case.ts';

const BEGINS = 'email_challenges_begins_with_its_machine';
const MOVES = 'email_challenges_moves_with_its_machine';
const REASON = 'email_challenges_superseded_with_a_reason';

const insertLink = (instead: Readonly<Record<string, string>> = {}): string =>
  insertCopy({
    table: 'email_challenges',
    where: `id = '${LINK.active}'`,
    columns: 'purpose, subject_id, subject_epoch, address, created_at, ends_at',
    values: { id: 'gen_random_uuid()', state: "'active'", secret_hash: "'\\x1234'", person: "'another'", ...instead },
  });

export const emailChallengeCases: readonly HeldCase[] = [
  allowed('a link is sent', insertLink()),
  refused(BEGINS, 'a link is stored as used', insertLink({ state: "'used'" })),
  refused(
    BEGINS,
    'a link is stored as superseded',
    insertLink({ state: "'superseded'", superseded_reason: "'withdrawn'" }),
  ),
  refused(
    MOVES,
    'every used link is revived at once',
    "update email_challenges set state = 'active' where state = 'used' returning 1",
  ),
  refused(
    REASON,
    'a superseded link gets another reason',
    updateLink(LINK.superseded, "superseded_reason = 'withdrawn'"),
  ),
  ...Object.values(LINK).map((row) =>
    allowed(`link ${row} is removed`, `delete from email_challenges where id = '${row}' returning 1`),
  ),
];
