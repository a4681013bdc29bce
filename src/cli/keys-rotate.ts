import { Option } from 'commander';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { inWords } from './durations.ts';
import { changeDocuments, changeLines } from './key-words.ts';
import { json } from './output.ts';
import { withKeys } from './reached.ts';

type Options = { readonly alg?: SigningAlgorithm; readonly now?: true; readonly json?: true };

export function keysRotateCommand(parent: Command, cli: Cli): void {
  parent
    .command('rotate')
    .description('publish a successor of each signing key now; it signs when every cache holds it')
    .addOption(new Option('--alg <algorithm>', 'only the key of this algorithm').choices(SIGNING_ALGORITHMS))
    .option(
      '--now',
      'the successor signs immediately; APIs that cache the JWKS reject its tokens until they fetch it again',
    )
    .jsonOption()
    .helpAfter(`
Keys rotate by themselves; use this when you do not want to wait. If a successor waits already, no other is created. The old key stays in the JWKS until the last token that it signed has expired. Running servers follow within seconds.

Examples:
  statehouse keys rotate
  statehouse keys rotate --alg ES256 --now`)
    .action(async (options: Options) => {
      const { changes, policy } = await withKeys(cli, ({ rotate }) =>
        rotate(options.alg ?? null, options.now === true),
      );
      if (options.json) return cli.output.print(json({ changes: changeDocuments(changes) }));
      cli.output.print(changeLines(changes) || 'unchanged  a successor waits already\n');
      if (options.now && changes.length > 0) return cli.output.complain(NOW_WARNING);
      const begins = new Set(changes.filter(({ to }) => to === 'signing').map(({ kid }) => kid));
      if (!changes.some(({ kid, to }) => to === 'published' && !begins.has(kid))) return;
      const wait = inWords(policy.published_before_signing_seconds);
      cli.output.print(`A successor signs ${wait} after its publication: see "statehouse keys list".\n`);
    });
}

const NOW_WARNING =
  'warning: APIs that cache the JWKS refuse the tokens of a new key until they fetch it again; most do when they see an unknown kid\n';
