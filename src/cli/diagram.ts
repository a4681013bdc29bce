import { InvalidArgumentError } from 'commander';
import { MACHINES } from '../catalogue/running.ts';
import { DEFAULT_POLICY } from '../config/configuration.ts';
import { readEnvironment } from '../config/environment.ts';
import { loadConfiguration, loadPolicy } from '../config/load.ts';
import { nearestOf } from '../config/nearest.ts';
import { drawingOf, drawingOfAll, drawingsOfEach, FORMATS, type Format } from '../review/drawing/formats.ts';
import { kebab } from '../review/drawing/names.ts';
import type { Numbers } from '../review/drawing/policy-numbers.ts';
import { numbersIn } from '../review/drawing/shipped-numbers.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { isFolder, writeInto } from './written-files.ts';

export function diagramCommand(parent: Command, cli: Cli): void {
  parent
    .command('diagram')
    .description('draw the machines that run, with guards, effects, references and the numbers of a policy')
    .argument('[machine]', `${[...MACHINES.keys()].join(', ')}; all of them when none is named`, machineOf)
    .option('--format <format>', FORMATS.join(', '), formatOf, 'svg')
    .option('--output <path>', 'a file, or a folder for one file each; default: standard output')
    .option('--policy <policy>', 'a policy file, or the name of a policy of the configuration', DEFAULT_POLICY)
    .helpAfter(`
Needs no database. SVG stands alone, for light and dark; Mermaid is a stateDiagram-v2, as GitHub draws it; JSON is the machine's
XState configuration, which Stately's editor opens (Import from code, between "createMachine(" and ")").
The numbers come from the policy, and from sign-in.yaml and signing-keys.yaml of the configuration (STATEHOUSE_CONFIG).

Examples:
  statehouse diagram refresh-token --output refresh-token.svg
  statehouse diagram --output pictures/ --policy browser-app
  statehouse diagram grant --format mermaid
  statehouse diagram authorizationCode --format json --policy ./policies/default.policy.yaml`)
    .action(async (machine: string | undefined, options: Options) => {
      const numbers = numbersOf(cli, options.policy);
      const named = MACHINES.get(machine ?? '');
      const machines = machine === undefined || !named ? MACHINES : new Map([[machine, named]]);
      const { format, output } = options;
      if (output !== undefined && isFolder(output)) {
        for (const { file, text } of await drawingsOfEach(machines, format, numbers)) {
          writeInto(cli, output, file, text);
        }
        return;
      }
      const text = named ? await drawingOf(named, format, numbers) : await drawingOfAll(machines, format, numbers);
      if (output === undefined) cli.output.print(text);
      else writeInto(cli, null, output, text);
    });
}

type Options = { readonly format: Format; readonly output?: string; readonly policy: string };

/** In camelCase or kebab-case, regardless of upper and lower case. */
function machineOf(typed: string): string {
  const known = [...MACHINES.keys()];
  const plain = (name: string) => name.toLowerCase().replaceAll(/[-_ ]/g, '');
  const found = known.find((name) => plain(name) === plain(typed));
  if (found === undefined) throw new InvalidArgumentError(oneOf('machine', typed, known.map(kebab)));
  return found;
}

function formatOf(typed: string): Format {
  const found = FORMATS.find((format) => format === typed);
  if (found === undefined) throw new InvalidArgumentError(oneOf('format', typed, FORMATS));
  return found;
}

function oneOf(what: string, typed: string, known: readonly string[]): string {
  const nearest = nearestOf(typed, known, (length) => Math.max(2, length / 2));
  return `No such ${what}. Expected one of ${known.join(', ')}.${nearest === null ? '' : ` Did you mean "${nearest}"?`}`;
}

const NAME = /^[a-z0-9][a-z0-9-]*$/;

/** @throws ConfigurationError, with file and line; CommandRefused when no policy has this name. */
function numbersOf({ env }: Cli, policy: string): Numbers {
  const { configFolder, issuer } = readEnvironment(env);
  const configuration = loadConfiguration(configFolder, issuer);
  if (!NAME.test(policy)) {
    const { name, ...loaded } = loadPolicy(policy);
    return numbersIn(configuration, name, loaded);
  }
  const named = configuration.policies.get(policy);
  if (!named) {
    const words = oneOf('policy', policy, [...configuration.policies.keys()]);
    throw new CommandRefused(`${words} To name a file, give its path, such as ./${policy}.policy.yaml.`);
  }
  return numbersIn(configuration, policy, named);
}
