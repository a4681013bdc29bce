import type { Command } from 'commander';
import { keyLifetimes } from '../config/key-lifetimes.ts';
import { signingKeyStore } from '../storage/signing-keys.ts';
import { databaseClock } from '../system/clock.ts';
import { type Cli, withRuntime } from './cli.ts';
import { forecastOf, minute, nextWords } from './key-words.ts';
import { json, table } from './output.ts';

export function keysListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('all signing keys: their state, since when, what happens next and when')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nTimes follow the signing-keys.yaml of this configuration.\n\nExample:\n  statehouse keys list',
    )
    .action(async (options: { json?: true }) => {
      const { now, rows } = await withRuntime(cli, async ({ database, configuration: { signingKeys } }) => {
        const { now, keys } = await signingKeyStore(database.drizzle, databaseClock).load();
        const policy = { algorithms: signingKeys.algorithms, lifetimes: keyLifetimes(signingKeys) };
        return { now, rows: keys.map((key) => ({ key, forecast: forecastOf(key, keys, policy) })) };
      });
      if (options.json) {
        const documents = rows.map(({ key, forecast }) => ({
          kid: key.kid,
          alg: key.alg,
          state: key.state,
          since: forecast.since.toISOString(),
          next: forecast.next && { at: forecast.next.at.toISOString(), what: forecast.next.what },
          reason: key.retiredReason,
        }));
        return cli.output.print(json({ keys: documents }));
      }
      if (rows.length === 0) return cli.output.print('No keys yet: "statehouse start" creates the first keys.\n');
      const cells = rows.map(({ key, forecast }) => [
        key.kid,
        key.alg,
        key.state,
        minute(forecast.since),
        nextWords(key, forecast, now),
      ]);
      cli.output.print(table([['KID', 'ALG', 'STATE', 'SINCE', 'NEXT'], ...cells]));
    });
}
