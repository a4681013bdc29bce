import type { Command } from 'commander';
import type { Runtime } from '../boot/runtime.ts';
import { UNTRUSTED } from '../review/explanation/advice.ts';
import { explanationOf } from '../review/explanation/explanation.ts';
import { type GivenCredential, grantIdIn, readCredential, verifyingKeys } from '../review/explanation/presented.ts';
import { deniedAccessTokenStore } from '../storage/denied-access-tokens.ts';
import { loadLife } from '../storage/grant-life.ts';
import { listSigningKeys } from '../storage/signing-keys.ts';
import { databaseClock } from '../system/clock.ts';
import { type Cli, withRuntime } from './cli.ts';
import { explanationDocument, explanationText, instant } from './explanation-words.ts';
import { CommandRefused } from './failure.ts';
import { json } from './output.ts';

const FROM_INPUT = '-';

export function explainCommand(parent: Command, cli: Cli): void {
  parent
    .command('explain')
    .description('the life of one authorization: what happened, whether it lives, why it died, what would have kept it')
    .argument('<grant-id>', 'as log and ledger name it; "-" reads a token, a code or a grant id from standard input')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
Pass a token or code on standard input: arguments are visible to others. It is never printed or logged. Changes nothing:
explaining a token does not present it.

Examples:
  statehouse explain 018f3c5e-0000-4000-8000-000000000000
  statehouse explain - < token.txt
  statehouse explain -                  # asks, without showing what you type`,
    )
    .action(async (argument: string, options: { json?: true }) => {
      const text = argument === FROM_INPUT ? await tokenFrom(cli) : grantIdOr(argument);
      const words = await withRuntime(cli, (runtime) => explain(runtime, text, options.json === true));
      cli.output.print(words);
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

async function explain(runtime: Runtime, text: string, asJson: boolean): Promise<string> {
  const { database, keys, environment, configuration } = runtime;
  const db = database.drizzle;
  const keyRing = verifyingKeys(await listSigningKeys(db));
  const credential = await readCredential({ keys, keyRing, issuer: environment.issuer }, text);
  if (credential.kind === 'nothing')
    return asJson
      ? json({ grant_id: null, presented: { place: credential.why, says: UNTRUSTED[credential.why] } })
      : `${UNTRUSTED[credential.why]}\n`;
  if (credential.kind === 'own_token') return explainOwnToken(runtime, credential, asJson);

  const life = await loadLife(db, databaseClock, credential.grantId);
  const { client, grant, lines } = life;
  if (!grant && lines.length === 0) {
    throw new CommandRefused(
      `No such grant: ${credential.grantId}. Either it never existed, or it ended so long ago that its row and ledger are gone.`,
    );
  }
  const policy = client && configuration.policies.get(client.policy);
  const lifetimes = client && policy ? { name: client.policy, ...policy } : null;
  const explained = { ...life, ...explanationOf(life, credential, lifetimes), grantId: credential.grantId };
  return asJson ? json(explanationDocument(explained)) : explanationText(explained);
}

type OwnToken = Extract<GivenCredential, { kind: 'own_token' }>;

/** Client credentials: there is no grant and no ledger, only the client's state. */
async function explainOwnToken(
  { database }: Runtime,
  { clientId, clientEpoch, jti, expiresAt }: OwnToken,
  asJson: boolean,
): Promise<string> {
  const { now, client, isDenied } = await deniedAccessTokenStore(database.drizzle, databaseClock).load({
    clientId,
    jti,
  });
  const isEnded = client === null || client.deletedAt !== null || client.epoch !== clientEpoch;
  const state = now >= expiresAt ? 'expired' : isEnded ? 'client_ended' : isDenied ? 'revoked' : 'good';
  if (asJson)
    return json({
      grant_id: null,
      presented: { place: 'client_credentials', client_id: clientId, state, expires_at: expiresAt },
    });
  return `An access token of client ${clientId} itself (client credentials): no end-user, no chain. ${OWN_WORDS[state]} ${instant(expiresAt)}.\n`;
}

const OWN_WORDS = {
  expired: 'It expired',
  client_ended: 'Its client was deleted; APIs that do not ask the server may accept it until',
  revoked: 'Its client revoked it; APIs that do not ask the server may accept it until',
  good: 'It is good until',
} as const;
