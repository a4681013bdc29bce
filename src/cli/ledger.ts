/** The group `ledger`, without `list` and `verify`. */

import { sealKeys } from '../crypto/ledger-seal.ts';
import { exportLedger } from '../ledger/export.ts';
import { storedLedger } from '../storage/ledger-seals.ts';
import { databaseClock } from '../system/clock.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { ledgerListCommand } from './ledger-list.ts';
import { ledgerVerifyCommand } from './ledger-verify.ts';
import { json } from './output.ts';
import { withOwnRuntime } from './own-runtime.ts';

function ledgerKeysCommand(parent: Command, cli: Cli): void {
  parent
    .command('keys')
    .description('the public keys of the ledger, for verification without the root secret')
    .helpAfter(`
A JWK Set, with one key per root secret, in the order of the list. Keep it where a change of the database cannot reach it: "statehouse ledger
verify --key" then verifies what a root secret signed after it was replaced or lost. Print it at the first start and before each rotation.

Example:
  statehouse ledger keys > ledger-keys.json`)
    .action(async () => {
      const published = await withOwnRuntime(cli, 'ledger', async ({ keys }) => sealKeys(keys).published);
      cli.output.print(json({ keys: published }));
    });
}

function ledgerExportCommand(parent: Command, cli: Cli): void {
  parent
    .command('export')
    .description('export entries of the ledger and its sealed segments, as JSON lines')
    .option('--from <instant>', 'segments that were sealed at this instant or later (RFC 3339, or a date in UTC)')
    .option('--to <instant>', 'up to the first segment that was sealed at this instant or later')
    .helpAfter(`
Whole segments, so that "statehouse ledger verify FILE" can verify them; lines that are in no segment yet (for about a minute) are
left out. Keep the file as it is: a line that another program has written again no longer has its hash.

Example:
  statehouse ledger export --from 2026-11-01 --to 2026-12-01 > november.jsonl`)
    .action(async (options: { from?: string; to?: string }) => {
      const range = { from: instantIn('--from', options.from), to: instantIn('--to', options.to) };
      if (range.from !== null && range.to !== null && range.to < range.from) {
        throw new CommandRefused('Expected --to to be after --from. Nothing was exported.');
      }
      await withOwnRuntime(cli, 'ledger', async ({ database }) =>
        exportLedger(storedLedger(database.drizzle, databaseClock), range, (text) => cli.output.print(text)),
      );
    });
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2}))?$/;

function instantIn(option: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const instant = new Date(text);
  if (INSTANT.test(text) && !Number.isNaN(instant.getTime())) return instant;
  throw new CommandRefused(
    `Expected ${option} to be a date or an instant, such as 2026-11-01 or 2026-11-01T09:00:00Z. Nothing was exported.`,
  );
}

/** In the order of --help. */
export const LEDGER_COMMANDS = [
  ledgerListCommand,
  ledgerKeysCommand,
  ledgerExportCommand,
  ledgerVerifyCommand,
] as const;
