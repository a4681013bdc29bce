/** The jti of a proof: stored in its time, and kept until the proof has expired. */
import { USED_JTI } from '../held-rows.ts';
import { allowed, type HeldCase, refused } from './case.ts';

const insert = (endsAt: string): string =>
  `insert into used_jtis (hash, used_at, ends_at) values ('another', now(), ${endsAt}) returning 1`;
const remove = (hash: string): string => `delete from used_jtis where hash = '${hash}' returning 1`;

export const usedJtiCases: readonly HeldCase[] = [
  allowed('a jti is used', insert("now() + interval '1 minute'")),
  refused('used_jtis_begins_in_its_time', 'a jti is used at the end of its proof', insert('now()')),
  refused(
    'used_jtis_begins_in_its_time',
    'a jti is used after the end of its proof',
    insert("now() - interval '1 minute'"),
  ),
  refused('used_jtis_stays_until_its_end', 'a use is forgotten before its proof has expired', remove(USED_JTI.live)),
  allowed('a use is forgotten an hour after its proof has expired', remove(USED_JTI.expired)),
  refused('used_jtis_is_not_emptied', 'all uses are forgotten', 'truncate used_jtis'),
];
