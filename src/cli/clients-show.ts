import type { Command } from 'commander';
import { printable } from '../registration/record-problem.ts';
import { findClient } from '../storage/clients.ts';
import { type Cli, withRuntime } from './cli.ts';
import { authenticationWords, clientDocument, fields, scopeWords, withoutSecrets } from './client-words.ts';
import { CommandRefused } from './failure.ts';
import { json } from './output.ts';

export function clientsShowCommand(parent: Command, cli: Cli): void {
  parent
    .command('show')
    .description('one client; its secrets are never shown')
    .argument('<client-id>')
    .option('--json', 'print one JSON document, with the names of RFC 7591')
    .addHelpText('after', '\nExample:\n  statehouse clients show shop')
    .action(async (clientId: string, options: { json?: true }) => {
      const client = await withRuntime(cli, ({ database }) => findClient(database.drizzle, clientId));
      if (!client) throw new CommandRefused(`No such client: "${printable(clientId)}".`);
      if (options.json) return cli.output.print(json(clientDocument(withoutSecrets(client))));
      const rows = fields([
        ['name', client.clientName],
        ['application type', client.applicationType],
        ['authenticates', authenticationWords(withoutSecrets(client))],
        ['grant types', client.grantTypes],
        ['redirect URIs', client.redirectUris],
        ['after a sign-out', client.postLogoutRedirectUris],
        ['ID Tokens', `signed with ${client.idTokenSignedResponseAlg}`],
        ['scope', scopeWords(client.scope)],
        ['default scope', client.defaultScope === null ? 'the whole scope' : scopeWords(client.defaultScope)],
        ['default resource', client.defaultResource ?? 'the default one of resources.yaml'],
        ['policy', client.policy],
      ]);
      cli.output.print(`${client.clientId}\n${rows}`);
    });
}
