import type { Command } from 'commander';
import { printable } from '../config/shown.ts';
import { storedSecretMac } from '../crypto/client-secret.ts';
import { type RawSecret, rawSecret } from '../crypto/secret-types.ts';
import { findClient, setSecretMacs } from '../storage/clients.ts';
import { type Cli, refuseDeclared, withRuntime } from './cli.ts';
import { CommandRefused } from './failure.ts';
import { json } from './output.ts';

export function clientsRotateSecretCommand(parent: Command, cli: Cli): void {
  parent
    .command('rotate-secret')
    .description('give a client a new secret; its previous secret stops working at once')
    .argument('<client-id>')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
The new secret has 256 random bits and is printed once. Everything else about the client stays, its grants too. It also serves after
a new root secret was set, when the stored secret can no longer be checked.

Example:
  statehouse clients rotate-secret shop`,
    )
    .action(async (clientId: string, options: { json?: true }) => {
      const secret = await rotate(cli, clientId);
      cli.output.print(
        options.json
          ? json({ client_id: clientId, outcome: 'rotated', client_secret: secret })
          : `rotated\n  client_id      ${clientId}\n  client_secret  ${secret}\n` +
              '  The previous secret has stopped working. The new secret is not shown again: only a keyed hash of it is kept.\n',
      );
    });
}

/** @throws CommandRefused */
const rotate = (cli: Cli, clientId: string): Promise<RawSecret> =>
  withRuntime(cli, async (runtime) => {
    const { database, keys, random } = runtime;
    refuseDeclared(runtime, clientId);
    const client = await findClient(database.drizzle, clientId);
    if (!client) throw new CommandRefused(`No such client: "${printable(clientId)}".`);
    if (client.tokenEndpointAuthMethod === 'none') {
      throw new CommandRefused(
        `"${clientId}" is a public client (token_endpoint_auth_method "none"): it has no secret. Nothing was changed.`,
      );
    }
    const secret = rawSecret(random.bytes(32).toString('base64url'));
    if (!(await setSecretMacs(database.drizzle, clientId, [storedSecretMac(keys, secret)]))) {
      throw new CommandRefused(`"${clientId}" was deleted or changed in the meantime; nothing was changed.`);
    }
    return secret;
  });
