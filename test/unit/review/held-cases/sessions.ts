/** Sessions: how one is inserted, how long it lives, and how it ends. Its row may go at any time: a browser without it is signed out. */
import { SESSION } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateSession } from './case.ts';

const BEGINS = 'sessions_begins_with_its_machine';
const MOVES = 'sessions_moves_with_its_machine';
const ENDS = 'sessions_ends_once_with_a_reason';
const RENEWED = 'sessions_is_renewed_with_a_factor';
const USED = 'sessions_is_used_while_active';

const insertSession = (instead: Readonly<Record<string, string>> = {}, tail = ''): string =>
  insertCopy({
    table: 'sessions',
    where: `sid = '${SESSION.active}'`,
    columns: 'user_id, user_epoch, server_epoch, signed_in_at, ends_at',
    values: { id_hash: "'\\x5e55'", ...instead },
    tail,
  });

const end = (endsAt: string) => `state = 'ended', ended_reason = 'signed_out', ends_at = ${endsAt}`;
const ANOTHER_COOKIE = "id_hash = '\\x5e551d99'";
const STRONGER = "amr = '{pwd,otp,mfa}'";
const sooner = "ends_at - interval '1 s'";
const later = "ends_at + interval '1 s'";

export const sessionCases: readonly HeldCase[] = [
  // The initial state.
  allowed('a session is inserted', insertSession()),
  refused(BEGINS, 'a session is inserted as ended', insertSession({ state: "'ended'", ended_reason: "'signed_out'" })),

  allowed('a session is inserted that awaits its factor', insertSession({ state: "'awaitingSecondFactor'" })),

  // An additional factor.
  allowed(
    'the awaited factor comes',
    updateSession(SESSION.awaitingSecondFactor, `state = 'active', ${ANOTHER_COOKIE}, ${STRONGER}`),
  ),
  allowed('a further factor comes', updateSession(SESSION.active, `${ANOTHER_COOKIE}, ${STRONGER}`)),
  refused(
    RENEWED,
    'the awaited factor comes, and the cookie stays',
    updateSession(SESSION.awaitingSecondFactor, "state = 'active'"),
  ),
  refused(RENEWED, 'a session gets stronger under the same cookie', updateSession(SESSION.active, STRONGER)),
  refused(
    RENEWED,
    'a method of the sign-in is lost',
    updateSession(SESSION.active, `${ANOTHER_COOKIE}, amr = '{otp,mfa}'`),
  ),
  ...[ANOTHER_COOKIE, `${ANOTHER_COOKIE}, ${STRONGER}`].flatMap((set) => [
    refused(RENEWED, `a session awaits its factor on: ${set}`, updateSession(SESSION.awaitingSecondFactor, set)),
    refused(RENEWED, `an ended session: ${set}`, updateSession(SESSION.ended, set)),
    refused(RENEWED, `a session ends: ${set}`, updateSession(SESSION.active, `${end('now()')}, ${set}`)),
    refused(
      RENEWED,
      `a session is revived: ${set}`,
      updateSession(SESSION.ended, `state = 'active', ended_reason = null, ${set}`),
    ),
  ]),
  ...[sooner, later].map((endsAt) =>
    refused(
      ENDS,
      `the awaited factor comes, and ends_at = ${endsAt}`,
      updateSession(SESSION.awaitingSecondFactor, `state = 'active', ${ANOTHER_COOKIE}, ends_at = ${endsAt}`),
    ),
  ),

  // The use.
  allowed('a session is used', updateSession(SESSION.active, "last_used_at = last_used_at + interval '1 s'")),
  allowed('a use is written twice', updateSession(SESSION.active, 'last_used_at = last_used_at')),
  refused(
    USED,
    'a session was used earlier than was recorded',
    updateSession(SESSION.active, "last_used_at = last_used_at - interval '1 s'"),
  ),
  refused(
    USED,
    'an ended session is used',
    updateSession(SESSION.ended, "last_used_at = last_used_at + interval '1 s'"),
  ),
  refused(
    USED,
    'an ended session was used earlier than was recorded',
    updateSession(SESSION.ended, "last_used_at = last_used_at - interval '1 s'"),
  ),

  // The end.
  allowed('a session ends now', updateSession(SESSION.active, end('now()'))),
  refused(ENDS, 'a session ends later than it would have', updateSession(SESSION.active, end(later))),
  ...[sooner, later].flatMap((endsAt) => [
    refused(ENDS, `an active session: ends_at = ${endsAt}`, updateSession(SESSION.active, `ends_at = ${endsAt}`)),
    refused(ENDS, `an ended session: ends_at = ${endsAt}`, updateSession(SESSION.ended, `ends_at = ${endsAt}`)),
  ]),
  refused(
    ENDS,
    'an ended session gets another reason',
    updateSession(SESSION.ended, "ended_reason = 'session_too_old'"),
  ),
  refused(
    MOVES,
    'every session is revived in one statement',
    "update sessions set state = 'active', ended_reason = null returning 1",
  ),
  refused(
    MOVES,
    'a session is revived by an upsert',
    insertSession(
      { id_hash: `(select id_hash from sessions where sid = '${SESSION.ended}')` },
      "on conflict (id_hash, user_id) do update set state = 'active', ended_reason = null",
    ),
  ),

  // The removal.
  ...[SESSION.active, SESSION.ended].map((row) =>
    allowed(`session ${row} is removed`, `delete from sessions where sid = '${row}' returning 1`),
  ),
];
