import { sealKeys } from '../crypto/ledger-seal.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { json } from './output.ts';
import { withOwnRuntime } from './own-runtime.ts';

export function ledgerKeysCommand(parent: Command, cli: Cli): void {
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
