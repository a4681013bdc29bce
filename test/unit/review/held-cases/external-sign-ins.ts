/** External sign-ins and linked identities: how they are inserted, what an answer may set, and when a row may go. */
import { EXTERNAL, IDENTITY, USER } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateOf } from './case.ts';

const updateSignIn = updateOf('external_sign_ins', 'id');
const updateIdentity = updateOf('linked_identities', 'id');

const BEGINS = 'external_sign_ins_begins_with_its_machine';
const ANSWER = 'external_sign_ins_answer_comes_with_its_state';

const insertSignIn = (instead: Readonly<Record<string, string>> = {}, tail = '') =>
  insertCopy({
    table: 'external_sign_ins',
    where: `id = '${EXTERNAL.awaiting}'`,
    columns: 'kind, provider, browser_hash, wishes, began_at, ends_at',
    values: {
      id: 'gen_random_uuid()',
      reference_hash: "'\\xfe'",
      purpose: "'signIn'",
      state: "'awaiting'",
      ...instead,
    },
    tail,
  });
const insertIdentity = (instead: Readonly<Record<string, string>> = {}) =>
  insertCopy({
    table: 'linked_identities',
    where: `id = '${IDENTITY.active}'`,
    columns: 'user_id, issuer, provider, linked_at',
    values: { id: 'gen_random_uuid()', subject: "'another there'", state: "'active'", ...instead },
  });

const WHO = `user_id = '${USER.alice}', user_epoch = 0, amr = '{pwd}', authenticated_at = now()`;

export const externalSignInCases: readonly HeldCase[] = [
  allowed('an external sign-in is inserted', insertSignIn()),
  allowed('a link is begun for an end-user', insertSignIn({ purpose: "'link'", user_id: `'${USER.alice}'` })),
  refused(BEGINS, 'an external sign-in is inserted as answered', insertSignIn({ state: "'answered'" })),
  refused(BEGINS, 'a sign-in begins with an end-user', insertSignIn({ user_id: `'${USER.alice}'` })),
  refused(BEGINS, 'a link begins without a user', insertSignIn({ purpose: "'link'" })),
  refused(BEGINS, 'a sign-in begins with an epoch', insertSignIn({ user_epoch: '0' })),
  refused(BEGINS, 'a sign-in begins with methods', insertSignIn({ amr: "'{pwd}'" })),
  refused(BEGINS, 'a sign-in begins with an instant', insertSignIn({ authenticated_at: 'now()' })),
  refused(BEGINS, 'a sign-in begins with a refusal', insertSignIn({ refusal: "'no'" })),

  allowed('an answer comes', updateSignIn(EXTERNAL.awaiting, `state = 'answered', ${WHO}`)),
  refused(ANSWER, 'an answer comes without its state', updateSignIn(EXTERNAL.awaiting, WHO)),
  refused(ANSWER, 'an answer is about another user now', updateSignIn(EXTERNAL.answered, `user_id = '${USER.bob}'`)),
  refused(
    ANSWER,
    'an answer is used by another user',
    updateSignIn(EXTERNAL.answered, `state = 'used', user_id = '${USER.bob}'`),
  ),
  refused(
    ANSWER,
    'an answer is used in another epoch',
    updateSignIn(EXTERNAL.answered, "state = 'used', user_epoch = 1"),
  ),
  refused(ANSWER, 'an answer is used as stronger', updateSignIn(EXTERNAL.answered, "state = 'used', amr = '{mfa}'")),
  refused(
    ANSWER,
    'an answer is used as newer',
    updateSignIn(EXTERNAL.answered, "state = 'used', authenticated_at = authenticated_at + interval '1 s'"),
  ),
  refused(
    ANSWER,
    'an answer is a refusal too',
    updateSignIn(EXTERNAL.awaiting, `state = 'answered', ${WHO}, refusal = 'no'`),
  ),
  refused(ANSWER, 'a refusal gets another reason', updateSignIn(EXTERNAL.denied, "refusal = 'because'")),
  refused(
    'external_sign_ins_moves_with_its_machine',
    'every answer is used again in one statement',
    "update external_sign_ins set state = 'answered' where state = 'used' returning 1",
  ),
  refused(
    'external_sign_ins_stays_until_its_end',
    'a used sign-in is removed, so that it can come again',
    `delete from external_sign_ins where id = '${EXTERNAL.used}' returning 1`,
  ),
  allowed('an ended sign-in is removed', `delete from external_sign_ins where id = '${EXTERNAL.ended}' returning 1`),
  refused('external_sign_ins_is_not_emptied', 'external sign-ins are emptied', 'truncate external_sign_ins cascade'),

  allowed('an identity is linked', insertIdentity()),
  refused(
    'linked_identities_begins_with_its_machine',
    'an identity is linked as removed',
    insertIdentity({ state: "'removed'", removed_at: 'now()', removed_reason: "'removed_by_user'" }),
  ),
  refused(
    'linked_identities_ends_once_with_a_reason',
    'a removed identity gets another reason',
    updateIdentity(IDENTITY.removed, "removed_reason = 'user_deleted'"),
  ),
  refused(
    'linked_identities_ends_once_with_a_reason',
    'the removal of an identity is dated again',
    updateIdentity(IDENTITY.removed, "removed_at = removed_at - interval '1 s'"),
  ),
  refused(
    'linked_identities_stays_until_it_is_removed',
    'an active identity is deleted',
    `delete from linked_identities where id = '${IDENTITY.active}' returning 1`,
  ),
  allowed(
    'a removed identity is deleted',
    `delete from linked_identities where id = '${IDENTITY.removed}' returning 1`,
  ),
  refused('linked_identities_is_not_emptied', 'linked identities are emptied', 'truncate linked_identities cascade'),
];
