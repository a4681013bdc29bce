import { DEFAULT_POLICY, type NamedPolicy } from '../config/configuration.ts';
import { readEnvironment } from '../config/environment.ts';
import { loadPolicy, loadSignIn } from '../config/load.ts';
import { loadScenario, type Policies } from '../review/simulation/read-scenario.ts';
import { failuresOf, performanceDocument, performanceText } from '../review/simulation/report.ts';
import { playAll } from '../review/simulation/server/stages.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { json } from './output.ts';

export function simulateCommand(parent: Command, cli: Cli): void {
  parent
    .command('simulate')
    .description('run scenarios: presentations of credentials at given times, and their outcomes')
    .argument('<file...>', 'scenario files (YAML)')
    .option('--policy <file>', 'run them under the policy of this file instead of their own')
    .jsonOption()
    .helpAfter(`
Runs scenarios on the server itself, through its endpoints, pages and forms, in this process. The run has a database in memory, a clock
that it sets, and no port: it does not touch your database or server. The first run after an upgrade prepares the database and takes
some seconds longer. Prints the steps, a Mermaid sequence diagram, and the result of each expectation. Exit status 1 when one fails.

A scenario is a few lines, see docs/scenarios; editors complete the keys:

  title: The thief uses the token first
  says: A thief uses a copied token before the client does.
  steps:
    - { who: resource owner, does: approve }
    - { who: client, presents: code, gets: A }
    - { who: thief, presents: A, gets: B }
    - { wait: 10m, who: client, presents: A, refused: refresh_token_reused, chain: dead }

Examples:
  statehouse simulate docs/scenarios/02-thief-first.yaml
  statehouse simulate docs/scenarios/*.yaml --policy policies/browser-app.policy.yaml`)
    .action(async (files: readonly string[], options: { policy?: string; json?: true }) => {
      const policies = policiesOf(cli, options.policy);
      const performances = await playAll(files.map((file) => loadScenario(file, policies)));
      const failures = performances.flatMap(failuresOf);
      cli.output.print(
        options.json
          ? json({ ok: failures.length === 0, scenarios: performances.map(performanceDocument) })
          : performances.map(performanceText).join('\n'),
      );
      if (failures.length > 0) throw new CommandRefused(failures.join('\n'));
    });
}

/** For scenarios without a policy: the default policy of the server's configuration. */
function policiesOf({ env }: Cli, policy: string | undefined): Policies {
  let standard: NamedPolicy | null = null;
  return {
    standard: () => {
      standard ??= loadPolicy(`${readEnvironment(env).configFolder}/${DEFAULT_POLICY}.policy.yaml`);
      return standard;
    },
    instead: policy === undefined ? null : loadPolicy(policy),
    signIn: () => loadSignIn(readEnvironment(env).configFolder),
  };
}
