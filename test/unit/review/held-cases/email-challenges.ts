/** Links in mails: how one is stored, and its later changes. Its row may be deleted at any time: the link is unknown then. */
import { LINK } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateLink } from './case.ts';

const BEGINS = 'email_challenges_begins_with_its_machine';
const MOVES = 'email_challenges_moves_with_its_machine';
const COUNTS = 'email_challenges_counts_newer_links';
const REASON = 'email_challenges_superseded_with_a_reason';

const insertLink = (instead: Readonly<Record<string, string>> = {}): string =>
  insertCopy({
    table: 'email_challenges',
    where: `id = '${LINK.active}'`,
    columns: 'purpose, user_id, user_epoch, address, created_at, ends_at',
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
  refused(BEGINS, 'a link is stored as older than others', insertLink({ newer_links: '1' })),
  allowed('a newer link is counted', updateLink(LINK.active, 'newer_links = newer_links + 1')),
  refused(COUNTS, 'two newer links are counted together', updateLink(LINK.active, 'newer_links = newer_links + 2')),
  refused(COUNTS, 'a used link counts newer links', updateLink(LINK.used, 'newer_links = newer_links + 1')),
  refused(
    COUNTS,
    'a link is made the newest again',
    updateLink(LINK.active, 'newer_links = 1'),
    updateLink(LINK.active, 'newer_links = 0'),
  ),
  refused(
    MOVES,
    'every used link is revived in one statement',
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
