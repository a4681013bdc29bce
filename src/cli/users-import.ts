import type { Command } from 'commander';
import { applyUserPlan, PasswordMissing, planUser, type UserPlan } from '../registration/register-user.ts';
import { readUserRecord, type UserRecord } from '../registration/user-record.ts';
import { usernameKey } from '../storage/users.ts';
import { type Cli, registrationDeps } from './cli.ts';
import { type Importing, importRecords } from './import-records.ts';

const importing: Importing<UserRecord, UserPlan> = {
  kind: 'users',
  idField: 'username',
  read: (input, { environment }) => readUserRecord(input, environment.production),
  keyOf: (user) => usernameKey(user.username),
  plan: (runtime, user) => planUser(registrationDeps(runtime), user),
  apply: (runtime, plan) => applyUserPlan(registrationDeps(runtime), plan),
  nameOf: (plan) => plan.username,
  warningsOf: ({ disabled }) => (disabled ? ['is disabled, and stays so ("statehouse users enable")'] : []),
  made: () => ({}),
  wordsOf: (error) => (error instanceof PasswordMissing ? error.message : null),
};

export function usersImportCommand(parent: Command, cli: Cli): void {
  parent
    .command('import')
    .description('create or update users from JSON')
    .argument('<file>', 'a JSON file, or "-" for standard input')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
An object, a list, or {"users": [...]}: username, password, and the claims of OpenID Connect (email, email_verified, name,
given_name, family_name, ...). Further claims, such as groups, are in the object "claims": {"groups": ["staff"]}.
If any record is wrong, nothing is imported. Importing the same file again changes nothing. The claims of an existing user are replaced. Without a password in the record, the stored password stays; a new
password ends the sessions and grants of the user.

Examples:
  statehouse users import users.json
  statehouse users import - < users.json`,
    )
    .action((file: string, options: { json?: true }) => importRecords(cli, importing, file, options.json === true));
}
