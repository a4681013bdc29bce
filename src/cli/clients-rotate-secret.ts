import { Option } from 'commander';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { json } from './output.ts';
import { withClients } from './reached.ts';

type Options = { readonly keepPrevious?: true; readonly endPrevious?: true; readonly json?: true };

export function clientsRotateSecretCommand(parent: Command, cli: Cli): void {
  parent
    .command('rotate-secret')
    .description('give a client a new secret; its previous secret stops working immediately')
    .argument('<client-id>')
    .addOption(new Option('--keep-previous', 'keep the previous secret beside the new one').conflicts('endPrevious'))
    .option('--end-previous', 'make no secret; remove the older of two')
    .jsonOption()
    .helpAfter(`
The new secret has 256 random bits and is printed once. Everything else about the client stays, its grants too. It also serves after
a new root secret was set, when the stored secret can no longer be checked.

Without an outage: --keep-previous, then give the client its new secret, then --end-previous.

Examples:
  statehouse clients rotate-secret shop
  statehouse clients rotate-secret shop --keep-previous
  statehouse clients rotate-secret shop --end-previous`)
    .action(async (clientId: string, options: Options) => {
      const words = await (options.endPrevious ? end(cli, clientId, options) : rotate(cli, clientId, options));
      cli.output.print(words);
    });
}

/** @throws CommandRefused */
async function rotate(cli: Cli, clientId: string, { keepPrevious, json: asJson }: Options): Promise<string> {
  const secret = await withClients(cli, ({ rotateSecret }) => rotateSecret(clientId, keepPrevious === true));
  if (asJson) return json({ client_id: clientId, outcome: 'rotated', client_secret: secret });
  const previous = keepPrevious ? 'The previous secret stays valid' : 'The previous secret is no longer valid';
  return (
    `rotated\n  client_id      ${clientId}\n  client_secret  ${secret}\n` +
    `  ${previous}. The new secret is not shown again: only a keyed hash of it is kept.\n`
  );
}

/** @throws CommandRefused */
async function end(cli: Cli, clientId: string, { json: asJson }: Options): Promise<string> {
  await withClients(cli, ({ endPreviousSecret }) => endPreviousSecret(clientId));
  if (asJson) return json({ client_id: clientId, outcome: 'ended' });
  return `ended      the previous secret of ${clientId}; the newer one stays valid\n`;
}
