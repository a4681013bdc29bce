import { type Command, Option } from 'commander';
import { readEnvironment } from '../config/environment.ts';
import { compare } from '../review/diff/compare.ts';
import { readSide } from '../review/diff/sides.ts';
import type { Bounds } from '../review/proof/walk.ts';
import { boundsOf } from './bounds.ts';
import type { Cli } from './cli.ts';
import { diffDocument, diffMarkdown, diffText } from './diff-words.ts';
import { CommandRefused } from './failure.ts';
import { brokenIn } from './proof-words.ts';

type Options = { readonly format: 'text' | 'markdown' | 'json'; readonly bounds?: readonly Bounds[] };

const FORMATS = { text: diffText, markdown: diffMarkdown, json: diffDocument } as const;

export function diffCommand(parent: Command, cli: Cli): void {
  parent
    .command('diff')
    .description('compare two configuration folders, or two git revisions, and check the invariants')
    .argument('<old>', 'a folder of policies, or a git revision of this checkout')
    .argument('<new>', 'the same')
    .addOption(
      new Option('--format <format>', 'the form of the output').choices(['text', 'markdown', 'json']).default('text'),
    )
    .option('--bounds <numbers...>', 'requests,in flight,faults of each walk of a policy, as 5,3,2', boundsOf)
    .addHelpText(
      'after',
      `
A folder is compared with the machines of this installation; a revision brings its own, and they are run: compare only
revisions that you would run. Exit status 1 when the new side breaks an invariant or is refused.

Examples:
  statehouse diff policies ../staging/policies
  statehouse diff main HEAD --format markdown`,
    )
    .action(async (old: string, fresh: string, options: Options) => {
      const { issuer } = readEnvironment({ ...cli.env, NODE_ENV: undefined });
      const comparison = compare(await readSide(old, issuer), await readSide(fresh, issuer), options.bounds);
      cli.output.print(`${FORMATS[options.format](comparison)}`);
      const wrong = [
        ...(comparison.refused === null ? [] : [`The server would not start: ${comparison.refused}`]),
        ...[...comparison.proofs, ...comparison.proofsForEveryPolicy].flatMap(brokenIn),
      ];
      if (wrong.length > 0) throw new CommandRefused(wrong.join('\n'));
    });
}
