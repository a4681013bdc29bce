/** The ledger: entries are added and stay, in the table and in each partition. */
import { allowed, type HeldCase, refused } from './case.ts';

/** A function, since the partitions are named after the months around today. */
export function ledgerCases(): readonly HeldCase[] {
  const now = new Date();
  const month = (ahead: number) =>
    `transitions_${new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead)).toISOString().slice(0, 7).replace('-', '_')}`;
  const withEntries = ['transitions', 'transitions_default', month(0)];
  return [
    allowed(
      'an entry is written',
      "insert into transitions (shard_key, at, machine, event, from_state, to_state) values (gen_random_uuid(), now(), 'm', 'e', 'f', 't') returning 1",
    ),
    refused(
      'transitions_is_of_now',
      'an entry is written with the number of another transaction',
      "insert into transitions (shard_key, at, machine, event, from_state, to_state, recorded_in) values (gen_random_uuid(), now(), 'm', 'e', 'f', 't', '1'::xid8)",
    ),
    refused(
      'ledger_seals_follows',
      'a segment is added whose number follows no other',
      "insert into ledger_seals (number, statement, signature) values (9007199254740991, 'x', 'x')",
    ),
    ...withEntries.flatMap((table) => [
      refused('transitions_append_only', `an entry of ${table} is changed`, `update ${table} set reason = 'forged'`),
      refused('transitions_append_only', `an entry of ${table} is removed`, `delete from ${table}`),
    ]),
    ...[...withEntries, month(2)].map((table) =>
      refused('transitions_is_not_emptied', `${table} is emptied`, `truncate ${table}`),
    ),
  ];
}
