/**
 * Reviewed effects of the migrations since the release before: each constraint and trigger that could refuse a write of its nodes, and each
 * object that they no longer find. The digest is that of the reviewed text: another text needs another review. When a version is
 * released and packed (.ci/pack-previous-release.ts), this list is emptied.
 */
export type Reviewed = {
  /** Why no node of the release before is harmed: its writes, by its code; rolling-upgrade.test.ts runs it. */
  readonly because: string;
  readonly findings: Readonly<Record<string, string | null>>;
};

export const REVIEWED: readonly Reviewed[] = [
  {
    because:
      'Nodes of the release before delete no client. The trigger refuses fewer deletions than before, and no other write.',
    findings: { 'trigger changed: clients.clients_stays': 'afa75b350977' },
  },
  {
    because:
      'Nodes of the release before insert a grant once, with an id that no grant has. The trigger refuses no insert that it let pass.',
    findings: { 'trigger changed: grants.grants_begins_once': 'd5895ede72d1' },
  },
  {
    because:
      'Nodes of the release before write no "sub": their rows have null, which the index lets in any number of times, and which no trigger compares.',
    findings: {
      'trigger changed: clients.client_id_is_no_sub': '6fda3e0601ba',
      'trigger changed: users.sub_is_no_client_id': '6e194ff07c35',
      'trigger changed: users.users_keeps_its_sub': 'a23dd7ff08da',
      'unique index added: users.users_sub': 'f822da0b1dce',
    },
  },
  {
    because:
      'Nodes of the release before write no "sign_in_address", which is null in their rows, and a deletion empties it by the trigger. Addresses are in the column once sign-in.yaml says so. Then a username of theirs that is the address of another end-user is refused as a unique index refuses it.',
    findings: {
      'trigger added: users.an_identifier_is_of_one_user': 'f36eca7ff367',
      'trigger changed: users.users_deletion_erases': '8d0d1ede7629',
      'trigger changed: users.users_erased_stays_erased': 'a09a325e730f',
      'unique index added: users.users_sign_in_address': '5ef8b1578668',
    },
  },
  {
    because:
      'Nodes of the release before write no "dpop_jkt": it is null in their rows, and no update of theirs names it.',
    findings: {
      'trigger changed: grants.grants_keeps_what_was_approved': '96f349431c9e',
      'trigger changed: interactions.interactions_keeps_what_was_asked': 'def6094ddcf9',
    },
  },
  {
    because:
      'Nodes of the release before write no "sign_in_time_is_known": it is true in their rows, and no update of theirs names it.',
    findings: { 'trigger changed: sessions.sessions_keeps_what_signed_in': 'b24365760179' },
  },
  {
    because:
      'Nodes of the release before write no "user_epoch": it is null in their rows. They reject the MAC of an answer that has an epoch, so that its end-user begins again.',
    findings: {
      'trigger changed: external_sign_ins.external_sign_ins_answer_comes_with_its_state': '5a6ece4f5507',
      'trigger changed: external_sign_ins.external_sign_ins_begins_with_its_machine': '93b619dc7f7e',
    },
  },
];
