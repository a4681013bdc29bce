/** Interactions: how one is inserted, the user of its answer, and when its row may be deleted. */
import { INTERACTION, USER } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateInteraction } from './case.ts';

const BEGINS = 'interactions_begins_with_its_machine';
const USERS = 'interactions_keeps_its_user';

const insertInteraction = (instead: Readonly<Record<string, string>> = {}): string =>
  insertCopy({
    table: 'interactions',
    where: `id = '${INTERACTION.approved}'`,
    columns:
      'browser_hash, client_id, client_epoch, redirect_uri, code_challenge, scope, resources, created_at, ends_at',
    values: { id: 'gen_random_uuid()', state: "'awaitingSignIn'", ...instead },
  });
const toBob = `user_id = '${USER.bob}'`;

export const interactionCases: readonly HeldCase[] = [
  allowed('an interaction is inserted as nodes of the version before do', insertInteraction()),
  ...['awaitingConsent', 'approved', 'denied'].flatMap((state) => [
    refused(
      BEGINS,
      `an interaction is inserted as ${state} without a user`,
      insertInteraction({ state: `'${state}'` }),
    ),
    allowed(
      `an interaction is inserted as ${state} by an end-user`,
      insertInteraction({ state: `'${state}'`, user_id: `'${USER.alice}'` }),
    ),
  ]),
  refused(
    BEGINS,
    'an interaction that awaits the sign-in is inserted with an end-user',
    insertInteraction({ user_id: `'${USER.alice}'` }),
  ),
  allowed('another end-user signs in', updateInteraction(INTERACTION.awaitingConsent, toBob)),
  ...([INTERACTION.approved, INTERACTION.denied] as const).flatMap((row) => [
    refused(USERS, `the answer ${row} becomes that of another end-user`, updateInteraction(row, toBob)),
    refused(USERS, `the answer ${row} loses its end-user`, updateInteraction(row, 'user_id = null')),
  ]),
  refused(
    USERS,
    'an approval without an end-user',
    updateInteraction(INTERACTION.awaitingSignIn, "state = 'approved'"),
  ),
  allowed('a denial without an end-user', updateInteraction(INTERACTION.awaitingSignIn, "state = 'denied'")),
  allowed(
    'an interaction that has ended is removed',
    `delete from interactions where id = '${INTERACTION.ended}' returning 1`,
  ),
  refused(
    'interactions_stays_until_its_end',
    'an interaction is removed before its end',
    `delete from interactions where id = '${INTERACTION.denied}'`,
  ),
  refused('interactions_is_not_emptied', 'interactions are emptied', 'truncate interactions'),
];
