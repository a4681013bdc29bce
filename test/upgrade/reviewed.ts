/**
 * What was reviewed of the migrations since the release before: each constraint and trigger that could refuse what its nodes write, and
 * each thing that they no longer find. The digest is that of the text that was reviewed: another text is reviewed anew. When a version is
 * released and packed (.ci/pack-previous-release.ts), this list is emptied.
 */
export type Reviewed = {
  /** Why no node of the release before is harmed: what it writes, by its code; rolling-upgrade.test.ts does it. */
  readonly because: string;
  readonly findings: Readonly<Record<string, string | null>>;
};

export const REVIEWED: readonly Reviewed[] = [
  {
    because:
      'It knows neither the state of a session nor the reason of an end, so both get their defaults: active, and none.',
    findings: {
      'constraint added: sessions.sessions_ended_has_reason': '356dae500097',
      'constraint added: sessions.sessions_state': '004fe6790879',
      'trigger added: sessions.sessions_begins_with_its_machine': '3226497b8ac9',
    },
  },
  {
    because: 'It inserts and deletes sessions, and never updates them. No trigger refuses to delete a session.',
    findings: {
      'trigger added: sessions.sessions_ends_once_with_a_reason': '349b44573c7a',
      'trigger added: sessions.sessions_is_renewed_with_a_factor': '4a9e886c5e77',
      'trigger added: sessions.sessions_is_used_while_active': 'f107947f2100',
      'trigger added: sessions.sessions_keeps_what_signed_in': '72bea6b60cf6',
      'trigger added: sessions.sessions_moves_with_its_machine': '8e8c8eec4e8d',
    },
  },
  {
    because: 'It inserts a grant at the approval alone: active, without a head, under an id that was drawn for it.',
    findings: {
      'trigger added: grants.grants_begins_once': 'b95e380b7a15',
      'trigger added: grants.grants_begins_with_its_machine': 'e8553fb4f3a1',
    },
  },
  {
    because: 'Each reason that it writes to a grant is still among the reasons, and it writes the instant with it.',
    findings: { 'trigger changed: grants.grants_ends_once_with_a_reason': '9aa74b068985' },
  },
  {
    because:
      'It stores an interaction when the request comes: awaiting the sign-in and without an end-user, or, for a session, awaiting consent or answered. The columns that are new in what was asked keep their defaults.',
    findings: {
      'trigger added: interactions.interactions_begins_with_its_machine': '372b54035bba',
      'trigger changed: interactions.interactions_keeps_what_was_asked': '81dacde40145',
    },
  },
  {
    because: 'Its machine has the same arms from a sign-in to an answer, and each approval has its end-user.',
    findings: {
      'trigger added: interactions.interactions_keeps_its_user': '255324dd9074',
      'trigger changed: interactions.interactions_moves_with_its_machine': '35e1c8157c10',
    },
  },
  {
    because:
      'It stores a key as published or signing, without later instants; the arms between stored states are the same.',
    findings: {
      'trigger added: signing_keys.signing_keys_begins_with_its_machine': '3b6ab78768df',
      'trigger changed: signing_keys.signing_keys_moves_with_its_machine': '0ed0a498f45f',
    },
  },
  {
    because:
      'It refuses an id that RFC 9700 §4.15 forbids, which nobody is known to have: UPGRADING.md says how to look. Other ids pass.',
    findings: {
      'trigger added: clients.client_id_is_no_sub': '669d224dcdfc',
      'trigger added: users.sub_is_no_client_id': 'd8c0081cd915',
    },
  },
  {
    because:
      'It registers clients as not deleted, never deletes or renames a row, and takes the secret of a client that it marks as deleted.',
    findings: {
      'trigger added: clients.clients_begins_with_its_machine': '90af7b804153',
      'trigger added: clients.clients_deleted_has_no_secret': 'cf980eb93cb4',
      'trigger added: clients.clients_is_not_emptied': '8692116b0980',
      'trigger added: clients.clients_keeps_its_id': 'dad7be070bf0',
      'trigger added: clients.clients_stays': '9fd4e103471b',
    },
  },
  {
    because:
      'It registers end-users as enabled, deletes none and erases none, keeps every sub, and raises the epoch with each disabling. An end-user who was erased has no username, and it finds end-users by their username.',
    findings: {
      'trigger added: users.users_begins_with_its_machine': '3d17ff6e0091',
      'trigger added: users.users_deletion_erases': 'fe959bf1399d',
      'trigger added: users.users_deletion_raises_epoch': 'fe1872e55adb',
      'trigger added: users.users_erased_stays_erased': '67a5b39afaee',
      'trigger added: users.users_is_not_emptied': 'bdb2ec3294bf',
      'trigger added: users.users_keeps_its_sub': 'b4ddc135fbd5',
      'trigger added: users.users_moves_with_its_machine': 'f5d81810d55e',
      'trigger added: users.users_stays': '23fdcf221b4f',
      'trigger changed: users.users_disabling_raises_epoch': '6bd66f0136ad',
    },
  },
  {
    because: 'It writes each entry with the number of its transaction and the time of now, and no seal.',
    findings: { 'trigger added: transitions.transitions_is_of_now': '1a1e6e5e9e61' },
  },
  {
    because: 'It knows neither MAC nor version, so what it inserts has none, and what it updates keeps both.',
    findings: {
      'trigger added: clients.clients_mac_moves_on': '40163b08ce14',
      'trigger added: consents.consents_mac_moves_on': '02d0201d7348',
      'trigger added: sessions.sessions_mac_moves_on': 'b3cfbbc17e4d',
      'trigger added: signing_keys.signing_keys_mac_moves_on': '2fe993904e00',
      'trigger added: users.users_mac_moves_on': '973b3e92a0d6',
    },
  },
  {
    because:
      'It inserts sessions and consents under a name that the database draws, so none that was deleted, and what remembers a deletion refuses none.',
    findings: {
      'trigger added: consents.consents_begins_once': '707c26f5bcd5',
      'trigger added: consents.consents_remembers_its_end': 'fcd41e652858',
      'trigger added: sessions.sessions_begins_once': 'f4c9d1f964cf',
      'trigger added: sessions.sessions_remembers_its_end': '119faa194b67',
    },
  },
  {
    because: 'It never says which name a session has: the database draws one.',
    findings: { 'unique index added: sessions.sessions_sid': 'c6029aef9fbe' },
  },
  {
    because: 'It widens a consent of the same end-user, client and resources, and knows no id of it.',
    findings: { 'trigger added: consents.consents_keeps_whose_it_is': '5ed30f105783' },
  },
];
