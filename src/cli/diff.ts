import { InvalidArgumentError, Option } from 'commander';
import { withBacktestRows } from '../boot/backtest.ts';
import { type Environment, readEnvironment } from '../config/environment.ts';
import { compare } from '../review/diff/compare.ts';
import { readSide, type Side } from '../review/diff/sides.ts';
import type { Bounds } from '../review/proof/walk.ts';
import { boundsOf } from './bounds.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { diffDocument, diffMarkdown, diffText } from './diff-words.ts';
import { CommandRefused } from './failure.ts';
import { brokenIn } from './proof-words.ts';

type Options = {
  readonly format: 'text' | 'markdown' | 'json';
  readonly bounds?: readonly Bounds[];
  /** Milliseconds. */
  readonly backtest?: number;
};

const FORMATS = { text: diffText, markdown: diffMarkdown, json: diffDocument } as const;

export function diffCommand(parent: Command, cli: Cli): void {
  parent
    .command('diff')
    .description('compare two configuration folders, or two git revisions, and check the invariants')
    .argument('<old>', 'a folder of policies, or a git revision of this checkout')
    .argument(
      '[new]',
      'the same; with --backtest and one argument, that is the new side, and STATEHOUSE_CONFIG the old one',
    )
    .addOption(
      new Option('--format <format>', 'the form of the output').choices(['text', 'markdown', 'json']).default('text'),
    )
    .option('--bounds <numbers...>', 'requests,in flight,faults of each walk of a policy, as 5,3,2', boundsOf)
    .option(
      '--backtest <period>',
      'the consequences in numbers, for now and for a period that ends now, as 7d or 24h',
      periodOf,
    )
    .helpAfter(`
A folder is compared with the machines of this installation; a revision brings its own, and they are run: compare only
revisions that you would run. Exit status 1 when the new side breaks an invariant or is refused.

With --backtest, the command reads the database of the server (DATABASE_URL, STATEHOUSE_SECRET), and changes nothing. It
proves the invariants again only where a machine has changed.

Examples:
  statehouse diff policies ../staging/policies
  statehouse diff main HEAD --format markdown
  statehouse diff --backtest 7d ../draft/policies`)
    .action(async (first: string, second: string | undefined, options: Options) => {
      const environment = readEnvironment({ ...cli.env, NODE_ENV: undefined });
      const { issuer, configFolder } = environment;
      if (second === undefined && options.backtest === undefined) {
        throw new CommandRefused('Expected two sides: an old and a new one. One is enough with --backtest.');
      }
      const [old, fresh] = second === undefined ? [configFolder, first] : [first, second];
      const sides = { before: await readSide(old, issuer), after: await readSide(fresh, issuer) };
      const { backtest: period, bounds } = options;
      const comparison = compare(sides.before, sides.after, { bounds, onlyChangedMachines: period !== undefined });
      const backtest =
        period === undefined || comparison.refused !== null ? null : await backtestOf(environment, sides, period);
      cli.output.print(`${FORMATS[options.format](comparison, backtest)}`);
      const wrong = [
        ...(comparison.refused === null ? [] : [`The server would not start: ${comparison.refused}`]),
        ...[...comparison.proofs, ...comparison.proofsForEveryPolicy].flatMap(brokenIn),
      ];
      if (wrong.length > 0) throw new CommandRefused(wrong.join('\n'));
    });
}

async function backtestOf(environment: Environment, sides: { before: Side; after: Side }, milliseconds: number) {
  const { backtest } = await import('../backtest/backtest.ts');
  const sideOf = ({ configuration, machines }: Side) => ({
    configuration,
    machineOf: (machine: Side['machines'][number]) => machines.find(({ id }) => id === machine.id) ?? machine,
  });
  const both = { before: sideOf(sides.before), after: sideOf(sides.after) };
  return withBacktestRows(environment, (deps) => backtest(deps, both, milliseconds));
}

const HOUR_MILLISECONDS = 3_600_000;
const HOURS_OF = { h: 1, d: 24 } as const;
const MAX_HOURS = 90 * 24;

function periodOf(text: string): number {
  const { number, unit } = /^(?<number>[1-9]\d{0,3})(?<unit>[hd])$/.exec(text)?.groups ?? {};
  const hours = Number(number) * HOURS_OF[unit as keyof typeof HOURS_OF];
  if (!(hours <= MAX_HOURS)) throw new InvalidArgumentError('Expected hours or days, at most 90 days: 24h, 7d.');
  return hours * HOUR_MILLISECONDS;
}
