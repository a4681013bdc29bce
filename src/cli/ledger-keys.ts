import type { Command } from 'commander';
import { sealKeys } from '../crypto/ledger-seal.ts';
import type { Cli } from './cli.ts';
import { json } from './output.ts';
import { withOwnRuntime } from './own-runtime.ts';

export function ledgerKeysCommand(parent: Command, cli: Cli): void {
  parent
    .command('keys')
    .description('the public keys of closed stretches, for who verifies without the root secret')
    .addHelpText(
      'after',
      `
One for each root secret that is listed, the first first: a JWK Set. Keep it where nobody who can write to the database can change it.

Example:
  statehouse ledger keys > ledger-keys.json`,
    )
    .action(async () => {
      const published = await withOwnRuntime(cli, 'ledger', async ({ keys }) => sealKeys(keys).published);
      cli.output.print(json({ keys: published }));
    });
}
