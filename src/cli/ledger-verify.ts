import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { readEnvironment } from '../config/environment.ts';
import {
  OCTETS_32,
  readSealJwk,
  type SealJwk,
  type SealVerifier,
  sealKeys,
  sealVerifier,
} from '../crypto/ledger-seal.ts';
import { rootKeys } from '../crypto/root-secret.ts';
import { NotAnExport, verifyExport } from '../ledger/export.ts';
import type { Head } from '../ledger/newest.ts';
import { verifyStored } from '../ledger/verify-stored.ts';
import { storedLedger } from '../storage/ledger-seals.ts';
import { databaseClock } from '../system/clock.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { CommandRefused, NotChecked } from './failure.ts';
import {
  changesIn,
  foundIn,
  notCheckedIn,
  type VerifiedAnywhere,
  verifiedDocument,
  verifiedWords,
} from './ledger-words.ts';
import { json } from './output.ts';
import { withOwnRuntime } from './own-runtime.ts';
import { each } from './repeated-option.ts';

type Options = { readonly key?: string[]; readonly trust?: string[]; readonly head?: string; readonly json?: true };

export function ledgerVerifyCommand(parent: Command, cli: Cli): void {
  parent
    .command('verify')
    .description('find entries and segments that were changed, added or removed')
    .argument('[file]', 'an export; without it, the database is verified')
    .option('--key <file>', 'trust the public keys from "statehouse ledger keys" (may be repeated)', each)
    .option(
      '--trust <kid>',
      'trust the public key of this thumbprint, which is stored with the segments (may be repeated)',
      each,
    )
    .option('--head <number:digest>', 'a seal from the log of a server; the ledger has to contain it')
    .jsonOption()
    .helpAfter(`
Exits with 1 for a changed ledger, and with 3 for an unchanged one with segments that an untrusted key signed. Names the segment and the
entry. The trusted keys are those of the listed root secrets (for a file: only without --key and --trust), and those that you name.
Servers log each seal ("ledger: segment closed"), with its number, its digest and the thumbprint of its key: without --head, verification
cannot find that the newest segments were removed. docs/ledger.md lists its other limits.

Examples:
  statehouse ledger verify --head 4711:5d1b…
  statehouse ledger verify november.jsonl --key ledger-keys.json`)
    .action(async (file: string | undefined, options: Options) => {
      const head = headIn(options.head);
      const pinned = await pinnedIn(options);
      const verified =
        file === undefined
          ? await verifyDatabase(cli, pinned, head)
          : await verifyFile(file, ofFile(cli, pinned), head);
      const isStored = file === undefined;
      cli.output.print(options.json ? json(verifiedDocument(verified)) : verifiedWords(verified, isStored));
      const changed = changesIn(verified);
      if (changed.length > 0) throw new CommandRefused(foundIn(changed.length));
      if (verified.problems.length > 0) throw new NotChecked(notCheckedIn(verified.problems.length));
    });
}

/** Keys that the operator trusts, beside those of the root secret. */
type Pinned = { readonly keys: readonly SealJwk[]; readonly thumbprints: readonly string[] };

async function pinnedIn({ key: files = [], trust: thumbprints = [] }: Options): Promise<Pinned> {
  if (thumbprints.some((thumbprint) => !OCTETS_32.test(thumbprint))) {
    throw new CommandRefused(
      'Expected --trust as "kid" of "statehouse ledger keys", or as "key" of a seal in the log of a server.',
    );
  }
  return { keys: (await Promise.all(files.map(keysIn))).flat(), thumbprints };
}

/** Also under the keys that are pinned: a root secret may have left the list. */
const verifyDatabase = (cli: Cli, pinned: Pinned, head: Head | null): Promise<VerifiedAnywhere> =>
  withOwnRuntime(cli, 'ledger', async ({ database, keys }) => {
    const known = sealVerifier([...sealKeys(keys).published, ...pinned.keys], pinned.thumbprints);
    return verifyStored(storedLedger(database.drizzle, databaseClock), known, head);
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

function ofFile({ env }: Cli, { keys, thumbprints }: Pinned): SealVerifier {
  if (keys.length > 0 || thumbprints.length > 0) return sealVerifier(keys, thumbprints);
  const { secrets } = readEnvironment(env);
  if (secrets !== null) return sealKeys(rootKeys(secrets));
  throw new CommandRefused(
    'No trusted keys. Name a file from "statehouse ledger keys" with --key, a thumbprint with --trust, or set STATEHOUSE_SECRET.',
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
  throw new CommandRefused('Expected --head as NUMBER:DIGEST, as the log of a server has them (segment, digest).');
}
