import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { minute, nextWords } from './key-words.ts';
import { json, table } from './output.ts';
import { withKeys } from './reached.ts';

export function keysListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('all signing keys: their state, since when, what happens next and when')
    .jsonOption()
    .helpAfter('\nTimes follow the signing-keys.yaml of this configuration.\n\nExample:\n  statehouse keys list')
    .action(async (options: { json?: true }) => {
      const keys = await withKeys(cli, ({ list }) => list());
      if (options.json) {
        const documents = keys.map(({ kid, alg, state, since, next, reason }) => ({
          kid,
          alg,
          state,
          since,
          next,
          reason,
        }));
        return cli.output.print(json({ keys: documents }));
      }
      if (keys.length === 0) return cli.output.print('No keys yet: "statehouse start" creates the first keys.\n');
      const now = new Date();
      const cells = keys.map((key) => [key.kid, key.alg, key.state, minute(key.since), nextWords(key, now)]);
      cli.output.print(table([['KID', 'ALG', 'STATE', 'SINCE', 'NEXT'], ...cells]));
    });
}
