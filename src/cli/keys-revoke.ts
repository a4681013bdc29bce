import { printable } from '../config/shown.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { inWords } from './durations.ts';
import { CommandRefused } from './failure.ts';
import { changeDocuments, changeLines } from './key-words.ts';
import { json } from './output.ts';
import { withKeys } from './reached.ts';

export function keysRevokeCommand(parent: Command, cli: Cli): void {
  parent
    .command('revoke')
    .description('revoke a signing key immediately, after a leak')
    .argument('<kid>', 'as "keys list" shows it')
    .jsonOption()
    .helpAfter(`
The key leaves the JWKS and its signatures are no longer accepted here; running servers follow within seconds. If it was the
signer, the waiting key or a new key signs immediately. APIs accept the old key until they fetch the JWKS again.

Example:
  statehouse keys revoke NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs`)
    .action(async (kid: string, options: { json?: true }) => {
      const { changes, policy } = await withKeys(cli, ({ revoke }) => revoke(kid));
      if (changes === null)
        throw new CommandRefused(`No such key: "${printable(kid)}". "statehouse keys list" shows the keys.`);
      const outcome = changes.length === 0 ? 'unchanged' : 'revoked';
      if (options.json) return cli.output.print(json({ kid, outcome, changes: changeDocuments(changes) }));
      cli.output.print(changeLines(changes) || `unchanged  ${kid}  (had retired already)\n`);
      if (changes.length === 0) return;
      cli.output.complain(
        `warning: APIs that cache the JWKS may accept the key for another ${inWords(policy.jwks_max_age_seconds)}\n`,
      );
    });
}
