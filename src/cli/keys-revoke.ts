import type { Command } from 'commander';
import { keyDeps } from '../boot/key-ring.ts';
import { printable } from '../config/shown.ts';
import { requestRevocation } from '../lifecycles/signing-key.ts';
import { databaseClock } from '../system/clock.ts';
import { type Cli, withRuntime } from './cli.ts';
import { inWords } from './durations.ts';
import { CommandRefused } from './failure.ts';
import { changeDocuments, changeLines } from './key-words.ts';
import { json } from './output.ts';

export function keysRevokeCommand(parent: Command, cli: Cli): void {
  parent
    .command('revoke')
    .description('end a signing key at once: for one that leaked')
    .argument('<kid>', 'as "keys list" says it')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
It leaves the JWKS, and what it signed is not accepted here any more; running servers follow within seconds. If it was the
signer, the key that waits signs at once, or a fresh one. APIs go on believing it until they fetch the JWKS again.

Example:
  statehouse keys revoke NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs`,
    )
    .action(async (kid: string, options: { json?: true }) => {
      const { changes, policy } = await withRuntime(cli, async (runtime) => {
        const policy = runtime.configuration.signingKeys;
        const deps = keyDeps({ ...runtime, db: runtime.database.drizzle, clock: databaseClock, policy: () => policy });
        return { changes: await requestRevocation(deps, kid), policy };
      });
      if (changes === null)
        throw new CommandRefused(`No such key: "${printable(kid)}". "statehouse keys list" names them.`);
      const outcome = changes.length === 0 ? 'unchanged' : 'revoked';
      if (options.json) return cli.output.print(json({ kid, outcome, changes: changeDocuments(changes) }));
      cli.output.print(changeLines(changes) || `unchanged  ${kid}  (had retired before)\n`);
      if (changes.length === 0) return;
      cli.output.complain(
        `warning: caches may keep the JWKS, and believe it, for ${inWords(policy.jwksMaxAgeSeconds)}\n`,
      );
    });
}
