import type { Command } from 'commander';
import { storedSecretMac } from '../crypto/client-secret.ts';
import { type RawSecret, rawSecret } from '../crypto/secret-types.ts';
import { administerClient } from '../registration/administration.ts';
import { doneOrRefused } from './administered.ts';
import { type Cli, refuseDeclared, registrationDeps, withRuntime } from './cli.ts';
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
    const { keys, random } = runtime;
    refuseDeclared(runtime, clientId);
    const secret = rawSecret(random.bytes(32).toString('base64url'));
    const change = { type: 'secretReplacementRequested', secret: storedSecretMac(keys, secret) } as const;
    doneOrRefused(await administerClient(registrationDeps(runtime), clientId, { change }), clientId);
    return secret;
  });
