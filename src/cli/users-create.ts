import { STANDARD_CLAIMS } from '../oauth/claims.ts';
import { jsonIn } from '../oauth/sent-text.ts';
import { readUserRecord } from '../registration/user-record.ts';
import { accepted } from './accepted.ts';
import type { UserChanged } from './administration/users.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { json, passwordLines, warningLines } from './output.ts';
import { readPassword } from './passwords.ts';
import { withUsers } from './reached.ts';
import { each } from './repeated-option.ts';

type Options = {
  readonly generatePassword?: true;
  readonly sub?: string;
  readonly email?: string;
  readonly displayName?: string;
  readonly claim?: string[];
  readonly json?: true;
};

export function usersCreateCommand(parent: Command, cli: Cli): void {
  parent
    .command('create')
    .description('register an end-user who can sign in')
    .argument('<username>')
    .option('--generate-password', 'generate a password and print it once')
    .option('--sub <sub>', 'the sub that the end-user had in another system; otherwise the server makes it')
    .option('--email <address>', 'the claim "email"')
    .option('--display-name <name>', 'the claim "name"')
    .option(
      '--claim <name=value>',
      'any other claim of OpenID Connect, or a custom claim such as groups; repeat it for several',
      each,
    )
    .jsonOption()
    .helpAfter(`
At a terminal the command asks for the password without showing it. Without a terminal: STATEHOUSE_PASSWORD, or the first line of standard input.
A claim that is not a text is JSON: --claim email_verified=true, --claim 'groups=["staff", "admins"]'. Which scope tells a further claim
to whom is in claims.yaml.

Examples:
  statehouse users create alice
  statehouse users create alice --generate-password
  statehouse users create alice --email alice@example.com --claim given_name=Alice --claim phone_number=+46812345
  statehouse users create alice < password.txt`)
    .action((username: string, options: Options) => create(cli, username, options));
}

async function create(cli: Cli, username: string, options: Options): Promise<void> {
  // Other problems are reported before the command asks for a password and opens the database.
  const { sub } = options;
  const record = { username, ...(sub !== undefined && { sub }), ...claimsOf(options) };
  accepted('user', readUserRecord(record, false));
  const given = options.generatePassword ? null : await readPassword(cli);

  const done = await withUsers(cli, (users) => users.create(record, given));
  cli.output.print(options.json ? asDocument(done) : asText(done));
}

/** OpenID Connect Core §5.1: the claims that are not texts. */
const JSON_CLAIMS = new Set(['email_verified', 'phone_number_verified', 'address', 'updated_at']);

function claimsOf({ email, displayName, claim = [] }: Options): Record<string, unknown> {
  const given = claim.map((argument): [string, unknown] => {
    const [name, ...value] = argument.split('=');
    if (!name || value.length === 0) throw refuse('--claim: Expected name=value, as in --claim given_name=Alice');
    // Other users of the machine can see arguments.
    if (name === 'password' || name === 'username') throw refuse(`--claim cannot set ${name}`);
    const isText = STANDARD_CLAIMS.includes(name) && !JSON_CLAIMS.has(name);
    return [name, isText ? value.join('=') : jsonOr(value.join('='))];
  });
  if (email !== undefined) given.push(['email', email]);
  if (displayName !== undefined) given.push(['name', displayName]);
  if (new Set(given.map(([name]) => name)).size < given.length) throw refuse('A claim is given twice');
  const further = given.filter(([name]) => !STANDARD_CLAIMS.includes(name));
  const standard = given.filter(([name]) => STANDARD_CLAIMS.includes(name));
  return { ...Object.fromEntries(standard), ...(further.length > 0 && { claims: Object.fromEntries(further) }) };
}

const refuse = (words: string) => new CommandRefused(`${words}; nothing was changed.`);

/** A value that is not JSON stays a text, which the schema then refuses with an error text. */
function jsonOr(value: string): unknown {
  const parsed = jsonIn(value);
  return parsed === undefined ? value : parsed;
}

function asDocument({ outcome, sub, username, madePassword: password, warnings }: UserChanged): string {
  return json({ outcome, user: { username, sub, ...(password !== null && { password }) }, warnings });
}

function asText({ outcome, sub, username, madePassword, warnings }: UserChanged): string {
  const made = `${passwordLines(madePassword)}${warningLines(warnings)}`;
  return `${outcome}\n  username  ${username}\n  sub       ${sub}\n${made}`;
}
