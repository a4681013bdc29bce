/** Codes in mails: how one is stored, when it becomes that of an end-user, and how wrong codes are counted. */
import { MAILED_CODE, USER } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateOf } from './case.ts';

const BEGINS = 'sign_in_codes_begins_with_its_machine';
const MOVES = 'sign_in_codes_moves_with_its_machine';
const SENT = 'sign_in_codes_is_sent_once';
const COUNTS = 'sign_in_codes_counts_wrong_codes';

const update = updateOf('sign_in_codes', 'id');
const ALICE = `user_id = '${USER.alice}', user_epoch = 0, address = 'alice@example.com'`;

const insertCode = (instead: Readonly<Record<string, string>> = {}): string =>
  insertCopy({
    table: 'sign_in_codes',
    where: `id = '${MAILED_CODE.requested}'`,
    columns: 'code_hash, sealed_account, browser_hash, created_at, ends_at',
    values: { id: 'gen_random_uuid()', place: "'elsewhere'", state: "'requested'", wrong_codes: '0', ...instead },
  });
const forAlice = { user_id: `'${USER.alice}'`, user_epoch: '0', address: "'alice@example.com'" };

export const signInCodeCases: readonly HeldCase[] = [
  allowed('a code is stored', insertCode()),
  refused(BEGINS, 'a code is stored as active', insertCode({ state: "'active'", ...forAlice })),
  refused(BEGINS, 'a code is stored as used', insertCode({ state: "'used'", ...forAlice })),
  refused(BEGINS, 'a code is stored as spent', insertCode({ state: "'spent'" })),
  refused(BEGINS, 'a code is stored as superseded', insertCode({ state: "'superseded'" })),
  ...['spent', 'superseded'].map((state) =>
    refused(
      MOVES,
      `a code that was ${state} before it was sent waits again`,
      update(MAILED_CODE.requested, `state = '${state}'`),
      update(MAILED_CODE.requested, "state = 'requested'"),
    ),
  ),
  refused(BEGINS, 'a code is stored with a wrong code', insertCode({ wrong_codes: '1' })),
  allowed('a code is sent', update(MAILED_CODE.requested, `state = 'active', ${ALICE}`)),
  refused(SENT, 'a sent code becomes that of another', update(MAILED_CODE.active, `user_id = '${USER.bob}'`)),
  refused(SENT, 'a sent code outlives a new password', update(MAILED_CODE.active, 'user_epoch = user_epoch + 1')),
  refused(SENT, 'a sent code goes to another address', update(MAILED_CODE.active, "address = 'bob@example.com'")),
  refused(
    SENT,
    'a code signs in another than the one it was sent to',
    update(MAILED_CODE.active, `state = 'used', user_id = '${USER.bob}'`),
  ),
  refused(SENT, 'a code that was not sent signs in', update(MAILED_CODE.requested, `state = 'used', ${ALICE}`)),
  allowed('a wrong code is counted', update(MAILED_CODE.active, 'wrong_codes = wrong_codes + 1')),
  allowed(
    'a wrong code is counted before the code is sent',
    update(MAILED_CODE.requested, 'wrong_codes = wrong_codes + 1'),
  ),
  allowed(
    'the last wrong code ends the code',
    update(MAILED_CODE.active, "state = 'spent', wrong_codes = wrong_codes + 1"),
  ),
  refused(COUNTS, 'two wrong codes are counted together', update(MAILED_CODE.active, 'wrong_codes = wrong_codes + 2')),
  refused(
    COUNTS,
    'wrong codes are forgotten',
    update(MAILED_CODE.active, 'wrong_codes = wrong_codes + 1'),
    update(MAILED_CODE.active, 'wrong_codes = 0'),
  ),
  refused(COUNTS, 'a spent code counts on', update(MAILED_CODE.spent, 'wrong_codes = wrong_codes + 1')),
  refused(MOVES, 'a used code signs in again', update(MAILED_CODE.used, "state = 'active'")),
  refused('sign_in_codes_is_not_emptied', 'all codes go', 'truncate sign_in_codes'),
  ...Object.values(MAILED_CODE).map((row) =>
    allowed(`code ${row} is removed`, `delete from sign_in_codes where id = '${row}' returning 1`),
  ),
];
