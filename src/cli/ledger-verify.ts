import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { readEnvironment } from '../config/environment.ts';
import { readSealJwk, type SealJwk, type SealVerifier, sealKeys, sealVerifier } from '../crypto/ledger-seal.ts';
import { rootKeys } from '../crypto/root-secret.ts';
import { NotAnExport, verifyExport } from '../ledger/export.ts';
import type { Head } from '../ledger/seal.ts';
import { verifyStored } from '../ledger/verify-stored.ts';
import { sealStore } from '../storage/ledger-seals.ts';
import { databaseClock } from '../system/clock.ts';
import type { Cli } from './cli.ts';
import { CommandRefused } from './failure.ts';
import { foundIn, type VerifiedAnywhere, verifiedDocument, verifiedWords } from './ledger-words.ts';
import { json } from './output.ts';
import { withOwnRuntime } from './own-runtime.ts';
import { each } from './repeated-option.ts';

type Options = { readonly key?: string[]; readonly head?: string; readonly json?: true };

export function ledgerVerifyCommand(parent: Command, cli: Cli): void {
  parent
    .command('verify')
    .description('find lines and stretches that were changed, added or removed')
    .argument('[file]', 'an export; without it, the database is verified')
    .option('--key <file>', 'public keys from "statehouse ledger keys" (may be repeated); else the root secret', each)
    .option('--head <number:digest>', 'a stretch as the log of a server named it: it has to be there')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
Ends with 1 when something was found, and names the stretch and the line. Without --head nobody can see that the newest stretches were
removed: servers write each into their log ("ledger: stretch closed"), with its number and digest. What cannot be found is in docs/ledger.md.

Examples:
  statehouse ledger verify --head 4711:5d1b…
  statehouse ledger verify november.jsonl --key ledger-keys.json`,
    )
    .action(async (file: string | undefined, options: Options) => {
      const head = headIn(options.head);
      const named = options.key && (await Promise.all(options.key.map(keysIn))).flat();
      const verified =
        file === undefined
          ? await verifyDatabase(cli, named ?? [], head)
          : await verifyFile(file, named ? sealVerifier(named) : ofRootSecret(cli), head);
      const isStored = file === undefined;
      cli.output.print(options.json ? json(verifiedDocument(verified)) : verifiedWords(verified, isStored));
      if (verified.problems.length > 0) throw new CommandRefused(foundIn(verified));
    });
}

/** Also under the keys that are named: a root secret may have left the list. */
const verifyDatabase = (cli: Cli, named: readonly SealJwk[], head: Head | null): Promise<VerifiedAnywhere> =>
  withOwnRuntime(cli, 'ledger', async ({ database, keys }) => {
    const known = sealVerifier([...sealKeys(keys).published, ...named]);
    return verifyStored(sealStore(database.drizzle, databaseClock), known, head);
  });

async function verifyFile(file: string, keys: SealVerifier, head: Head | null): Promise<VerifiedAnywhere> {
  const input = createReadStream(file, 'utf8');
  // An error of the stream does not end the lines by itself.
  const failed = new Promise<never>((_, reject) => input.once('error', reject));
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  try {
    const verified = await Promise.race([verifyExport(lines, keys, { head, now: new Date() }), failed]);
    return { ...verified, open: null };
  } catch (error) {
    if (error instanceof NotAnExport) throw new CommandRefused(`${file}, ${error.message}.`);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new CommandRefused(`No such file: ${file}.`);
    throw error;
  } finally {
    input.destroy();
  }
}

function ofRootSecret({ env }: Cli): SealVerifier {
  const { secrets } = readEnvironment(env);
  if (secrets !== null) return sealKeys(rootKeys(secrets));
  throw new CommandRefused(
    'With which keys? Name a file from "statehouse ledger keys" with --key, or set STATEHOUSE_SECRET.',
  );
}

async function keysIn(file: string): Promise<readonly SealJwk[]> {
  const refused = new CommandRefused(`${file}: expected a JWK Set as "statehouse ledger keys" prints it.`);
  let document: unknown;
  try {
    document = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new CommandRefused(`No such file: ${file}.`);
    throw refused;
  }
  const { keys } = (document ?? {}) as { readonly keys?: unknown };
  const read = Array.isArray(keys) ? keys.map(readSealJwk) : [];
  if (read.length === 0 || read.includes(null)) throw refused;
  return read.filter((key) => key !== null);
}

const HEAD = /^(?<number>\d{1,15}):(?<digest>[0-9a-f]{64})$/;

function headIn(text: string | undefined): Head | null {
  if (text === undefined) return null;
  const { number, digest } = HEAD.exec(text)?.groups ?? {};
  if (number !== undefined && digest !== undefined) return { number: Number(number), digest };
  throw new CommandRefused('Expected --head as NUMBER:DIGEST, as the log of a server has them (stretch, digest).');
}
