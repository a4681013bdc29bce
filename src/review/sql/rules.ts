/** The rules that triggers enforce: those of each table (src/lifecycles/<lifecycle>/table.ts), and those that many tables share. */
import { RUNNING, type RunningName } from '../../../machines/running.ts';
import { type Machine, readMachine } from '../../catalogue/read.ts';
import {
  changed,
  epochRises,
  type Held,
  heldOf,
  isNotEmptied,
  type MakesRule,
  quoted,
  type Rule,
  refuses,
  stays,
} from '../../lifecycles/rules.ts';
import type { HeldTable } from '../../lifecycles/table.ts';
import { tableName } from '../../storage/columns.ts';
import { LEDGER_IS_NOT_EMPTIED } from '../../storage/ledger-partitions.ts';
import { macColumns } from '../../storage/mac-columns.ts';
import { beginOnce, columnsOf, HELD } from './columns.ts';

/** By id. Those with their own table; codes and refresh tokens are stored in the row of their grant. */
export type Machines = Readonly<Record<StoredMachine, Machine>>;
type StoredMachine = Exclude<RunningName, 'refreshToken' | 'authorizationCode'>;

export const heldMachines = Object.fromEntries(
  HELD.flatMap(({ machine }) =>
    machine === null ? [] : [[machine, readMachine(RUNNING[machine as RunningName].config)]],
  ),
) as Machines;

export const rulesOf = (machines: Machines): readonly Rule[] => [
  ...HELD.flatMap((held) => made(heldIn(machines, held), held.rules)),
  ...made(plain('server'), serverRules),
  ...made(plain('transitions'), ledgerRules),
  ...macColumns.flatMap(({ table, macs }) => made(plain(table), [macMovesOn(macs)])),
  ...beginOnce.flatMap(({ table, name }) => made(plain(table), [beginsOnce(table, name('NEW'))])),
];

const made = (held: Held, rules: readonly MakesRule[]): readonly Rule[] => rules.flatMap((rule) => rule(held) ?? []);

/** No machine moves its rows. */
const NO_MACHINE = readMachine({});
const plain = (table: string): Held => heldOf(table, NO_MACHINE, () => []);

const heldIn = (machines: Machines, held: HeldTable): Held =>
  heldOf(tableName(held.table), held.machine === null ? NO_MACHINE : machines[held.machine as StoredMachine], (role) =>
    columnsOf(held, role),
  );

/** The version is under the MAC: so no MAC of an earlier version comes back, from any copy. */
const macMovesOn = (macs: readonly string[]): MakesRule =>
  refuses('mac_moves_on', { update: [...macs, 'mac_version'] }, 'each MAC of a row has the next version', [
    'NEW.mac_version < OLD.mac_version',
    'NEW.mac_version > OLD.mac_version + 1',
    `${changed(macs)} AND NEW.mac_version = OLD.mac_version`,
  ]);

const beginsOnce = (table: string, name: string): MakesRule =>
  refuses('begins_once', 'insert', 'what was deleted does not begin again', [
    `EXISTS (SELECT FROM "public"."ended_rows" e WHERE e."relation" = ${quoted(table)} AND e."key" = ${name})`,
  ]);

const serverRules: readonly MakesRule[] = [
  epochRises,
  stays('the server keeps its epoch'),
  isNotEmptied('the server keeps its epoch'),
];

const ledgerRules: readonly MakesRule[] = [
  refuses('append_only', 'update or delete', LEDGER_IS_NOT_EMPTIED.says),
  isNotEmptied(LEDGER_IS_NOT_EMPTIED.says),
];
