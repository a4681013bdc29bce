import { readFolder } from './apply/folder.ts';
import { type Plan, planOf, type Step } from './apply/plan.ts';
import { isChange, planJson, planText } from './apply/words.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { confirm } from './confirm.ts';
import { CommandRefused, WouldChange } from './failure.ts';
import { json, secretLines } from './output.ts';
import { withApi } from './reached.ts';

type Options = { readonly plan?: true; readonly yes?: true; readonly json?: true };

export function applyCommand(program: Command, cli: Cli): void {
  program
    .command('apply')
    .description('make clients and end-users as a folder describes them')
    .argument('<folder>', 'files that end in .yaml, .yml or .json')
    .option('--plan', 'print what would change, and change nothing; the status is 4 where something would')
    .option('--yes', 'carry out deletions without asking')
    .jsonOption()
    .helpAfter(`
Each file has "clients" (the names of RFC 7591), "users" (username, claims, disabled, sub), or both. "absent: true" deletes
a record. A record that no file names stays as it is.

The command plans all records before it changes the first. The server answers each as a dry run. If it refuses one, nothing is
changed. A record that changes between the plan and its turn stops the command there. Running it again completes it. A second run
changes nothing. "drift" names who changed a record on the server, where that was not you.

Examples:
  statehouse apply --plan identity/
  statehouse apply identity/`)
    .action(async (folder: string, options: Options) => {
      const wanted = readFolder(folder);
      await withApi(cli, async (api) => {
        const plan = await planOf(api, wanted);
        if (options.plan) return reportPlan(cli, plan, options);
        refuseProblems(plan);
        if (!options.json) cli.output.print(planText(plan));
        await confirmDeletions(cli, plan, options);
        const made = await carriedOut(cli, plan.steps.filter(isChange), options);
        if (options.json) cli.output.print(json({ steps: made }));
      });
    });
}

function reportPlan(cli: Cli, plan: Plan, options: Options): void {
  cli.output.print(options.json ? planJson(plan) : planText(plan));
  refuseProblems(plan);
  if (plan.steps.some(isChange)) throw new WouldChange('The server differs from the folder. Nothing was changed.');
}

/** @throws CommandRefused */
function refuseProblems({ steps }: Plan): void {
  const refused = steps.filter(({ action }) => action === 'refused');
  if (refused.length === 0) return;
  const lines = refused.flatMap(({ kind, name, problems }) => problems.map((words) => `  ${kind} ${name}: ${words}`));
  throw new CommandRefused(`The server refuses records of the folder; nothing was changed.\n${lines.join('\n')}`);
}

async function confirmDeletions(cli: Cli, { steps }: Plan, { yes }: Options): Promise<void> {
  const deletions = steps.filter(({ action }) => action === 'delete').map(({ kind, name }) => `${kind} ${name}`);
  if (deletions.length > 0 && !yes) await confirm(cli, `This deletes permanently: ${deletions.join(', ')}.`);
}

async function carriedOut(cli: Cli, steps: readonly Step[], options: Options): Promise<readonly object[]> {
  const made: object[] = [];
  for (const { kind, name, action, carryOut } of steps) {
    try {
      const secret = await carryOut();
      made.push({ kind, name, action, ...(secret !== null && { client_secret: secret }) });
      if (!options.json) cli.output.print(`${DONE[action]}  ${kind} ${name}\n${secretLines(secret)}`);
    } catch (error) {
      // Secrets that were made are shown now or never.
      if (options.json && made.length > 0) cli.output.print(json({ steps: made }));
      if (!(error instanceof CommandRefused)) throw error;
      throw new CommandRefused(
        `${kind} ${name}: ${error.message} ${made.length} changes before it were made. Run the command again.`,
      );
    }
  }
  return made;
}

const DONE: Readonly<Record<Step['action'], string>> = {
  create: 'created',
  change: 'changed',
  delete: 'deleted',
  none: 'unchanged',
  refused: 'refused',
};
