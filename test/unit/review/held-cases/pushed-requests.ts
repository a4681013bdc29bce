/** Pushed requests: how one is stored, when its parameters are erased, and when it goes. */
import { PUSHED } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateOf } from './case.ts';

const update = updateOf('pushed_requests', 'id');
const remove = (row: string) => `delete from pushed_requests where id = '${row}' returning 1`;

const insertRequest = (instead: Readonly<Record<string, string>> = {}): string =>
  insertCopy({
    table: 'pushed_requests',
    where: `id = '${PUSHED.pushed}'`,
    columns: 'client_id, created_at, ends_at',
    values: { id: 'gen_random_uuid()', handle_hash: "'\\x0eee'", sealed: "'sea1ed'", state: "'pushed'", ...instead },
  });

export const pushedRequestCases: readonly HeldCase[] = [
  allowed('a request is pushed', insertRequest()),
  refused(
    'pushed_requests_begins_with_its_machine',
    'a request is stored as used',
    insertRequest({ state: "'used'", sealed: "''" }),
  ),
  refused(
    'pushed_requests_is_erased_with_its_state',
    'the parameters of a request are replaced',
    update(PUSHED.pushed, "sealed = 'others'"),
  ),
  refused(
    'pushed_requests_stays_until_its_end',
    'a used request is removed, so that it can come again',
    remove(PUSHED.used),
  ),
  refused(
    'pushed_requests_stays_until_its_end',
    'a request is removed that an interaction can answer',
    remove(PUSHED.pushed),
  ),
  allowed('an ended request is removed', remove(PUSHED.ended)),
  refused('pushed_requests_is_not_emptied', 'pushed requests are emptied', 'truncate pushed_requests'),
];
