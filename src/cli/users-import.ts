import { type Command, InvalidArgumentError } from 'commander';
import type { Cli } from './cli.ts';
import { importPeople } from './people-import.ts';
import { withPeople } from './reached.ts';
import { readRecordsOrLines } from './records-file.ts';

type Options = {
  readonly json?: boolean;
  readonly skipRefused?: boolean;
  readonly report?: string;
  readonly pairs?: string;
  readonly startAt?: number;
};

export function usersImportCommand(parent: Command, cli: Cli): void {
  parent
    .command('import')
    .description('create or update users from JSON')
    .argument('<file>', 'a file of JSON or JSON lines, or "-" for standard input')
    .option('--json', 'print one JSON document')
    .option('--skip-refused', 'import the other records where some are refused')
    .option('--report <file>', 'write the rejected records and the reasons, as JSON lines')
    .option('--pairs <file>', 'write username and sub of every imported user, as JSON lines')
    .option('--start-at <record>', 'begin with this record, counted from 1', recordNumber)
    .addHelpText(
      'after',
      `
An object, a list, {"users": [...]}, or an object on each line: username, password, and the claims of OpenID Connect (email,
email_verified, name, given_name, family_name, ...). A new user keeps the sub of another system: "sub". Further claims, such as groups, are in the object "claims": {"groups": ["staff"]}.
Instead of password, password_hash takes the hash of another system, as it wrote it: argon2, bcrypt, scrypt or PBKDF2 of most systems. It is
replaced at the next sign-in. docs/importing-people.md says which formats and costs are accepted.
If any record is wrong, nothing is imported, unless --skip-refused is given. Through a running server, what only the server can refuse stops
the import there. Importing the same file again changes nothing. The claims of an existing user are replaced. Without a password in the
record, the stored password stays; a new password ends the sessions and grants of the user. A hash that was imported before is none, whatever
the password is by now.

Examples:
  statehouse users import users.json
  statehouse users import people.jsonl --skip-refused --report refused.jsonl
  statehouse users import - < users.json`,
    )
    .action(async (file: string, { json = false, skipRefused = false, report, pairs, startAt = 1 }: Options) => {
      // Read before the database is opened, so that a wrong file does not occupy the embedded database.
      const sent = await readRecordsOrLines(cli.input, file, 'users');
      const options = { asJson: json, skipRefused, report: report ?? null, pairs: pairs ?? null, startAt };
      await withPeople(cli, (people) => importPeople(cli, people, sent, options));
    });
}

function recordNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('Expected a number from 1.');
  return number;
}
