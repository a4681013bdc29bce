import type { Command } from 'commander';
import type { Random } from '../crypto/random.ts';
import { describeRecordProblem, type Reading } from '../registration/record-problem.ts';
import { applyUserPlan, planUser, type UserPlan } from '../registration/register-user.ts';
import { readUserRecord, type UserRecord } from '../registration/user-record.ts';
import { type Cli, registrationDeps, withRuntime } from './cli.ts';
import { CommandRefused } from './failure.ts';
import { json, warningLines } from './output.ts';

type Options = {
  readonly generatePassword?: true;
  readonly email?: string;
  readonly displayName?: string;
  readonly json?: true;
};

export function usersCreateCommand(parent: Command, cli: Cli): void {
  parent
    .command('create')
    .description('register a person who can sign in')
    .argument('<username>')
    .option('--generate-password', 'make a password and print it once')
    .option('--email <address>', 'the claim "email"')
    .option('--display-name <name>', 'the claim "name"')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
The password is asked for at the terminal, unseen. Without a terminal: STATEHOUSE_PASSWORD, or the first line of standard input.
For more claims: statehouse users import

Examples:
  statehouse users create alice
  statehouse users create alice --generate-password
  statehouse users create alice < password.txt`,
    )
    .action((username: string, options: Options) => create(cli, username, options));
}

async function create(cli: Cli, username: string, options: Options): Promise<void> {
  // Whatever is wrong with the rest is said before a password is asked for, and before the database is held.
  const { email, displayName } = options;
  const record = {
    username,
    ...(email !== undefined && { email }),
    ...(displayName !== undefined && { name: displayName }),
  };
  accepted(readUserRecord(record));
  const given = options.generatePassword ? null : await readPassword(cli);

  await withRuntime(cli, async (runtime) => {
    const password = given ?? makePassword(runtime.random);
    const { value, warnings } = accepted(readUserRecord({ ...record, password }));
    const deps = registrationDeps(runtime);
    const plan = await planUser(deps, value);
    if (plan.outcome === 'updated') {
      throw new CommandRefused(
        `A user with this name exists, and differs in ${plan.changed.join(' and ')}; nothing was changed. ` +
          'To change them: statehouse users import',
      );
    }
    await applyUserPlan(deps, plan);
    const made = given === null ? password : null;
    cli.output.print(options.json ? asDocument(plan, made, warnings) : asText(plan, made, warnings));
  });
}

function accepted(reading: Reading<UserRecord>): Extract<Reading<UserRecord>, { ok: true }> {
  if (reading.ok) return reading;
  const problems = reading.problems.map((one) => `  ${describeRecordProblem(one)}`).join('\n');
  throw new CommandRefused(`The user is refused; nothing was changed.\n${problems}`);
}

async function readPassword({ env, input }: Cli): Promise<string> {
  const given = env['STATEHOUSE_PASSWORD'] || (await input.readSecret('Password: '));
  if (given === '') {
    throw new CommandRefused(
      'No password: set STATEHOUSE_PASSWORD, write it to standard input, or use --generate-password.',
    );
  }
  if (input.interactive && !env['STATEHOUSE_PASSWORD'] && (await input.readSecret('Again: ')) !== given) {
    throw new CommandRefused('The two passwords differ; nothing was changed.');
  }
  return given;
}

const makePassword = (random: Random): string => random.bytes(16).toString('base64url');

function asDocument({ outcome, id, username }: UserPlan, password: string | null, warnings: readonly string[]): string {
  return json({ outcome, user: { username, sub: id, ...(password !== null && { password }) }, warnings });
}

function asText({ outcome, id, username }: UserPlan, password: string | null, warnings: readonly string[]): string {
  const made =
    password === null ? '' : `  password  ${password}\n  The password is not shown again: only a hash of it is kept.\n`;
  return `${outcome}\n  username  ${username}\n  sub       ${id}\n${made}${warningLines(warnings)}`;
}
