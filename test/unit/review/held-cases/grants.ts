/** Grants: how one is inserted, how the head of its chain moves, how it ends, and when its row may go. */
import { GRANT } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateGrant } from './case.ts';

const NONCE = "decode(repeat('ab', 16), 'hex')";
/** An exchange and a rotation write the last use and the end along with the head. */
const USED = 'last_used_at = now(), chain_ends_at = now()';
const headAt = (generation: string, nonce = NONCE) => `refresh_generation = ${generation}, refresh_nonce = ${nonce}`;

const BEGINS = 'grants_begins_with_its_machine';
const HEAD = 'grants_head_moves_by_one';
const TIMES = 'grants_times_move_with_the_head';
const ENDS = 'grants_ends_once_with_a_reason';
const MOVES = 'grants_moves_with_its_machine';

/** As an approval inserts one, with these values instead. */
const insertGrant = (instead: Readonly<Record<string, string>> = {}, tail = ''): string =>
  insertCopy({
    table: 'grants',
    where: `id = '${GRANT.waiting}'`,
    columns:
      'client_id, user_id, client_epoch, user_epoch, server_epoch, scope, resources, policy, code_hash, code_challenge, redirect_uri, code_ends_at, created_at',
    values: { id: 'gen_random_uuid()', state: "'active'", ...instead },
    tail,
  });
const deleteGrant = (row: string) => `delete from grants where id = '${row}' returning 1`;

export const grantCases: readonly HeldCase[] = [
  // The head.
  allowed('an exchange', updateGrant(GRANT.waiting, `${headAt('0')}, ${USED}`)),
  allowed('a rotation', updateGrant(GRANT.rotated, `${headAt('6')}, ${USED}`)),
  allowed('the first rotation', updateGrant(GRANT.begun, `${headAt('1')}, ${USED}`)),
  ...['1', '-1', '5'].map((to) =>
    refused(HEAD, `generation null → ${to}`, updateGrant(GRANT.waiting, `${headAt(to)}, ${USED}`)),
  ),
  ...['-1', '0', '2'].map((to) =>
    refused(HEAD, `generation 0 → ${to}`, updateGrant(GRANT.begun, `${headAt(to)}, ${USED}`)),
  ),
  ...['0', '4', '5', '7', '60'].map((to) =>
    refused(HEAD, `generation 5 → ${to}`, updateGrant(GRANT.rotated, `${headAt(to)}, ${USED}`)),
  ),
  refused(HEAD, 'the head is removed', updateGrant(GRANT.rotated, headAt('null', 'null'))),
  refused(HEAD, 'a nonce without a generation', updateGrant(GRANT.rotated, `refresh_nonce = ${NONCE}`)),
  refused(HEAD, 'a generation without a nonce', updateGrant(GRANT.rotated, 'refresh_generation = 6')),
  refused(
    HEAD,
    'a generation with the nonce of before',
    updateGrant(GRANT.rotated, `${headAt('6', 'refresh_nonce')}, ${USED}`),
  ),
  ...[0, 15, 17].map((bytes) =>
    refused(
      HEAD,
      `a nonce of ${bytes} bytes`,
      updateGrant(GRANT.rotated, `${headAt('6', `decode(repeat('ab', ${bytes}), 'hex')`)}, ${USED}`),
    ),
  ),
  refused(HEAD, 'an exchange without its use', updateGrant(GRANT.waiting, `${headAt('0')}, chain_ends_at = now()`)),
  refused(HEAD, 'an exchange without an end', updateGrant(GRANT.waiting, `${headAt('0')}, last_used_at = now()`)),
  refused(HEAD, 'a rotation while revoked', updateGrant(GRANT.revokedChain, `${headAt('6')}, ${USED}`)),
  refused(HEAD, 'an exchange while revoked', updateGrant(GRANT.revoked, `${headAt('0')}, ${USED}`)),
  refused(
    HEAD,
    'a rotation with a revocation',
    updateGrant(
      GRANT.rotated,
      `${headAt('6')}, ${USED}, state = 'revoked', revoked_at = now(), revoked_reason = 'refresh_token_reused'`,
    ),
  ),
  refused(TIMES, 'a later last use', updateGrant(GRANT.rotated, "last_used_at = now() + interval '1 s'")),
  refused(TIMES, 'a later end', updateGrant(GRANT.rotated, "chain_ends_at = now() + interval '1 year'")),
  refused(TIMES, 'a first use without a head', updateGrant(GRANT.waiting, USED)),

  // The end.
  refused(
    ENDS,
    'a revocation without its instant',
    updateGrant(GRANT.rotated, "state = 'revoked', revoked_reason = 'refresh_token_reused'"),
  ),
  refused(
    ENDS,
    'a revoked grant gets another reason',
    updateGrant(GRANT.revoked, "revoked_reason = 'revocation_requested'"),
  ),
  refused(
    ENDS,
    'a revoked grant gets another instant',
    updateGrant(GRANT.revoked, "revoked_at = now() + interval '1 s'"),
  ),
  refused(ENDS, 'an active grant gets an instant', updateGrant(GRANT.rotated, 'revoked_at = now()')),
  refused(
    MOVES,
    'every grant is revived in one statement',
    "update grants set state = 'active', revoked_at = null, revoked_reason = null returning 1",
  ),

  // The initial state.
  allowed('a grant is inserted', insertGrant()),
  refused(
    BEGINS,
    'a grant is inserted as revoked',
    insertGrant({ state: "'revoked'", revoked_reason: "'revocation_requested'" }),
  ),
  refused(BEGINS, 'a grant is inserted with an end', insertGrant({ revoked_at: 'now()' })),
  refused(BEGINS, 'a grant is inserted with a head', insertGrant({ refresh_generation: '0', refresh_nonce: NONCE })),
  refused(BEGINS, 'a grant is inserted with a last use', insertGrant({ last_used_at: 'now()' })),
  refused(BEGINS, 'a grant is inserted with the end of a chain', insertGrant({ chain_ends_at: 'now()' })),
  refused(
    'grants_begins_once',
    'a grant that the ledger knows is inserted again',
    deleteGrant(GRANT.endedRevoked),
    insertGrant({ id: `'${GRANT.endedRevoked}'` }),
  ),
  // The trigger reads the ledger, and the ledger keeps 90 days.
  allowed(
    'a grant that the ledger has forgotten is inserted again',
    deleteGrant(GRANT.forgotten),
    insertGrant({ id: `'${GRANT.forgotten}'` }),
  ),
  refused(
    MOVES,
    'a grant is revived by an upsert',
    insertGrant(
      { id: `'${GRANT.forgotten}'` },
      "on conflict (id) do update set state = 'active', revoked_at = null, revoked_reason = null",
    ),
  ),
  refused(
    MOVES,
    'a grant is revived by a merge',
    `merge into grants g using (select 1) o on g.id = '${GRANT.revoked}'
      when matched then update set state = 'active', revoked_at = null, revoked_reason = null`,
  ),

  // The removal.
  ...[GRANT.endedCode, GRANT.endedChain, GRANT.endedRevoked].map((row) =>
    allowed(`grant ${row} is removed`, deleteGrant(row)),
  ),
  ...[GRANT.waiting, GRANT.rotated, GRANT.revoked, GRANT.revokedChain, GRANT.justEnded].map((row) =>
    refused('grants_stays_until_its_end', `grant ${row} is removed`, deleteGrant(row)),
  ),
  refused('grants_is_not_emptied', 'grants are emptied', 'truncate grants'),
  refused('clients_is_not_emptied', 'grants are emptied with their clients', 'truncate clients cascade'),
];
