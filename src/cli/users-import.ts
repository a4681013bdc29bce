import { InvalidArgumentError, Option } from 'commander';
import { SOURCES } from '../registration/sources/all.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { openSource } from './export-options.ts';
import { importPeople } from './people-import.ts';
import { withPeople } from './reached.ts';
import { each } from './repeated-option.ts';

type Options = {
  readonly json?: boolean;
  readonly from?: string;
  readonly dryRun?: boolean;
  readonly sub?: 'keep' | 'new';
  readonly issuer?: string[];
  readonly rpId?: string;
  readonly map?: string[];
  readonly skipRefused?: boolean;
  readonly report?: string;
  readonly pairs?: string;
  readonly startAt?: number;
};

export function usersImportCommand(parent: Command, cli: Cli): void {
  parent
    .command('import')
    .description('create or update users from JSON, or from the export of another system')
    .argument(
      '<files...>',
      'a file of JSON or JSON lines, or "-" for standard input; with --from, the files of the export',
    )
    .addOption(
      new Option('--from <format>', 'the export of another system, unchanged').choices(SOURCES.map(({ name }) => name)),
    )
    .option('--dry-run', 'check every record and print the summary; change nothing')
    .addOption(
      new Option('--sub <which>', 'with --from: keep the ids of the other system, or make new ones')
        .choices(['keep', 'new'])
        .default('keep'),
    )
    .option(
      '--issuer <provider=issuer>',
      'with --from: the issuer of an identity provider of the export (repeatable)',
      each,
    )
    .option('--rp-id <host>', 'with --from: the host name at which the passkeys of the export were made')
    .option(
      '--map <column=member>',
      'with --from csv: the member that a column becomes, or a JSON file of pairs (repeatable)',
      each,
    )
    .jsonOption()
    .option('--skip-refused', 'import the other records where some are refused')
    .option('--report <file>', 'write the rejected records and the reasons, as JSON lines')
    .option('--pairs <file>', 'write username and sub of every imported user, as JSON lines')
    .option('--start-at <record>', 'begin with this record, counted from 1', recordNumber)
    .helpAfter(`
An object, a list, {"users": [...]}, or an object on each line: username, password, and the claims of OpenID Connect (email,
email_verified, name, given_name, family_name, ...). A new user keeps the sub of another system: "sub". Further claims, such as groups, are in the object "claims": {"groups": ["staff"]}.
Instead of password, password_hash takes the hash of another system, as it wrote it: argon2, bcrypt, scrypt or PBKDF2 of most systems. It is
replaced at the next sign-in. docs/importing-people.md says which formats and costs are accepted.
If any record is wrong, nothing is imported, unless --skip-refused is given. Importing the same file again changes nothing. The claims of an existing user are replaced. Without a password in the
record, the stored password stays; a new password ends the sessions and grants of the user. A hash that was imported before is none, whatever
the password is by now.

With --from, the command reads the export of another system:
${SOURCES.map(({ name, file }) => `  ${name.padEnd(10)} ${file}\n`).join('')}What cannot be carried over is listed with the reason. Begin with --dry-run. Run the same command again to continue after an interruption.

Examples:
  statehouse users import users.json
  statehouse users import people.jsonl --skip-refused --report refused.jsonl
  statehouse users import --from keycloak realm.json --dry-run
  statehouse users import --from csv people.csv --map mail=email --map dept=claims.department
  statehouse users import - < users.json`)
    .action(async (files: string[], options: Options) => {
      const { json = false, dryRun = false, skipRefused = false, report, pairs, startAt = 1 } = options;
      // Read before the database is opened, so that a wrong file does not occupy the embedded database.
      const source = await openSource(cli, files, options);
      const importing = { asJson: json, dryRun, skipRefused, report: report ?? null, pairs: pairs ?? null, startAt };
      await withPeople(cli, (people) => importPeople(cli, people, source, importing));
    });
}

function recordNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('Expected a number from 1.');
  return number;
}
