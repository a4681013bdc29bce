import type { ExplainedGrant, ExplainedWithoutGrant } from '../explanation/explain.ts';
import { grantIdIn } from '../explanation/grant-id.ts';
import type { ManagementApi } from './administration/api.ts';
import { orNull } from './administration/refusals.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { explanationText } from './explanation-words.ts';
import { CommandRefused, noSuchGrant } from './failure.ts';
import { json } from './output.ts';
import { withApi } from './reached.ts';

const FROM_INPUT = '-';

export function explainCommand(parent: Command, cli: Cli): void {
  parent
    .command('explain')
    .description(
      'explain one grant: its history, whether it is active, why it ended, and what would have prevented that',
    )
    .argument('<grant-id>', 'as log and ledger name it; "-" reads a token, a code or a grant id from standard input')
    .jsonOption()
    .helpAfter(`
Pass a token or code on standard input: arguments are visible to others. It is never printed or logged. Changes nothing:
explaining a token does not present it.

Examples:
  statehouse explain 018f3c5e-0000-4000-8000-000000000000
  statehouse explain - < token.txt
  statehouse explain -                  # asks, without showing what you type`)
    .action(async (argument: string, options: { json?: true }) => {
      const text = argument === FROM_INPUT ? await tokenFrom(cli) : grantIdOr(argument);
      const document = await withApi(cli, (api) => explain(api, text));
      cli.output.print(options.json ? json(document) : explanationText(document));
    });
}

async function tokenFrom({ input }: Cli): Promise<string> {
  const text = (await input.readSecret('Token, code or grant id (unseen): ')).trim();
  if (text === '') throw new CommandRefused('Standard input is empty: nothing to explain.');
  return text;
}

/** The error does not repeat the argument, which may be a pasted token. @throws CommandRefused */
function grantIdOr(argument: string): string {
  const grantId = grantIdIn(argument);
  if (grantId !== null) return grantId;
  throw new CommandRefused(
    [
      'Expected a grant id (a UUID) as the argument.',
      'Pass a token or a code on standard input, since arguments are visible to others and stay in the history of the shell:',
      '  statehouse explain - < token.txt',
    ].join('\n'),
  );
}

/** @param text a token, a code or a grant id. @throws CommandRefused for a grant that is not there. */
async function explain(api: ManagementApi, text: string): Promise<ExplainedGrant | ExplainedWithoutGrant> {
  const answered = await orNull(api.send('POST', '/explanations', { body: { credential: text } }));
  // A message names the grant, never the token.
  if (answered === null) throw noSuchGrant(grantIdIn(text) ?? 'that of the credential');
  // The schema of the resource names the members that every explanation has.
  return answered.value as unknown as ExplainedGrant | ExplainedWithoutGrant;
}
