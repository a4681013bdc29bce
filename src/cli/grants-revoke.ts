import { grantIdIn } from '../explanation/grant-id.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { CommandRefused } from './failure.ts';
import { json } from './output.ts';
import { withGrants } from './reached.ts';

export function grantsRevokeCommand(parent: Command, cli: Cli): void {
  parent
    .command('revoke')
    .description('end a grant: its code and its whole chain of refresh tokens')
    .argument('<grant-id>', 'as "statehouse grants list" shows it')
    .jsonOption()
    .helpAfter(`
It cannot be undone. Access tokens that were issued stay good at APIs that do not ask the server, until they expire. The end-user stays signed in, and can approve the client again. The ledger says that the command line did it.

Example:
  statehouse grants revoke 0191e0a4-6b1e-7c3d-9a52-0d9f8a7b6c5d`)
    .action(async (argument: string, options: { json?: true }) => {
      const grantId = grantIdIn(argument);
      // It may be a token, which is not repeated.
      if (grantId === null)
        throw new CommandRefused('Expected a grant id (a UUID): "statehouse grants list" shows them.');
      const { hasEnded, grant } = await withGrants(cli, ({ revoke }) => revoke(grantId));
      const { client_id: clientId, username } = grant;
      const outcome = hasEnded ? 'revoked' : 'unchanged';
      if (options.json) return cli.output.print(json({ grant_id: grantId, client_id: clientId, username, outcome }));
      cli.output.print(
        hasEnded
          ? `revoked    ${grantId}  (${clientId}, ${username})\n`
          : `unchanged  ${grantId}  (had ended already)\n`,
      );
    });
}
