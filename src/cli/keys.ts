/** The group `keys`. */

import { Option } from 'commander';
import { printable } from '../config/shown.ts';
import type { Document, Item } from '../management/client/documents.ts';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import type { ManagementApi } from './administration/api.ts';
import { isReason, orNull } from './administration/refusals.ts';
import type { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { inWords, minute } from './durations.ts';
import { CommandRefused, notInPolicy } from './failure.ts';
import { json, table } from './output.ts';
import { withApi } from './reached.ts';

function keysListCommand(parent: Command, cli: Cli): void {
  parent
    .command('list')
    .description('all signing keys: their state, since when, what happens next and when')
    .jsonOption()
    .helpAfter('\nTimes follow the signing-keys.yaml of this configuration.\n\nExample:\n  statehouse keys list')
    .action(async (options: { json?: true }) => {
      const keys = await withApi(cli, async (api) => (await load(api)).items);
      if (options.json) {
        const documents = keys.map(({ kid, alg, state, since, next, reason }) => ({
          kid,
          alg,
          state,
          since,
          next,
          reason,
        }));
        return cli.output.print(json({ keys: documents }));
      }
      if (keys.length === 0) return cli.output.print('No keys yet: "statehouse start" creates the first keys.\n');
      const now = new Date();
      const cells = keys.map((key) => [key.kid, key.alg, key.state, minute(key.since), nextWords(key, now)]);
      cli.output.print(table([['KID', 'ALG', 'STATE', 'SINCE', 'NEXT'], ...cells]));
    });
}

type Options = { readonly alg?: SigningAlgorithm; readonly now?: true; readonly json?: true };

function keysRotateCommand(parent: Command, cli: Cli): void {
  parent
    .command('rotate')
    .description('publish a successor of each signing key now; it signs when every cache holds it')
    .addOption(new Option('--alg <algorithm>', 'only the key of this algorithm').choices(SIGNING_ALGORITHMS))
    .option(
      '--now',
      'the successor signs immediately; APIs that cache the JWKS reject its tokens until they fetch it again',
    )
    .jsonOption()
    .helpAfter(`
Keys rotate by themselves; use this when you do not want to wait. If a successor waits already, no other is created. The old key stays in the JWKS until the last token that it signed has expired. Running servers follow within seconds.

Examples:
  statehouse keys rotate
  statehouse keys rotate --alg ES256 --now`)
    .action(async (options: Options) => {
      const { changes, policy } = await withApi(cli, (api) => rotate(api, options));
      if (options.json) return cli.output.print(json({ changes: changeDocuments(changes) }));
      cli.output.print(changeLines(changes) || 'unchanged  a successor waits already\n');
      if (options.now && changes.length > 0) return cli.output.complain(NOW_WARNING);
      const begins = new Set(changes.filter(({ to }) => to === 'signing').map(({ kid }) => kid));
      if (!changes.some(({ kid, to }) => to === 'published' && !begins.has(kid))) return;
      const wait = inWords(policy.published_before_signing_seconds);
      cli.output.print(`A successor signs ${wait} after its publication: see "statehouse keys list".\n`);
    });
}

const NOW_WARNING =
  'warning: APIs that cache the JWKS refuse the tokens of a new key until they fetch it again; most do when they see an unknown kid\n';

function keysRevokeCommand(parent: Command, cli: Cli): void {
  parent
    .command('revoke')
    .description('revoke a signing key immediately, after a leak')
    .argument('<kid>', 'as "keys list" shows it')
    .jsonOption()
    .helpAfter(`
The key leaves the JWKS and its signatures are no longer accepted here; running servers follow within seconds. If it was the
signer, the waiting key or a new key signs immediately. APIs accept the old key until they fetch the JWKS again.

Example:
  statehouse keys revoke NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs`)
    .action(async (kid: string, options: { json?: true }) => {
      const { changes, policy } = await withApi(cli, (api) => revoke(api, kid));
      if (changes === null)
        throw new CommandRefused(`No such key: "${printable(kid)}". "statehouse keys list" shows the keys.`);
      const outcome = changes.length === 0 ? 'unchanged' : 'revoked';
      if (options.json) return cli.output.print(json({ kid, outcome, changes: changeDocuments(changes) }));
      cli.output.print(changeLines(changes) || `unchanged  ${kid}  (had retired already)\n`);
      if (changes.length === 0) return;
      cli.output.complain(
        `warning: APIs that cache the JWKS may accept the key for another ${inWords(policy.jwks_max_age_seconds)}\n`,
      );
    });
}

const NEXT_WORDS = {
  publishes: 'publishes its successor',
  hands_over: 'hands over to its successor',
  signs: 'signs',
  stops: 'stops signing: the policy no longer names its algorithm',
  retires: 'leaves the JWKS: its last token has expired',
} as const;

const RETIRED_WORDS: Readonly<Record<string, string>> = {
  tokens_expired: 'its last token had expired',
  revocation_requested: 'revoked',
};

function nextWords({ reason, next }: Key, now: Date): string {
  if (next === null) return reason === null ? '' : (RETIRED_WORDS[reason] ?? reason);
  return `${new Date(next.at) <= now ? 'now' : minute(next.at)}: ${NEXT_WORDS[next.what]}`;
}

/** One line per change. */
const changeLines = (changes: readonly KeyChanged[]): string => changes.map(changeLine).join('');

function changeLine({ kid, alg, from, to }: KeyChanged): string {
  if (from === to) return `hastened   ${kid}  (${alg}: hands over as soon as caches hold its successor)\n`;
  return `${(CHANGE_WORDS[to] ?? to).padEnd(9)}  ${kid}  (${alg})\n`;
}

const CHANGE_WORDS: Readonly<Record<string, string>> = {
  published: 'published',
  signing: 'signs',
  retiring: 'retiring',
  retired: 'revoked',
};

const changeDocuments = (changes: readonly KeyChanged[]) =>
  changes.map(({ kid, alg, from, to, reason }) => ({ kid, alg, from, to, reason }));

type Key = Item<'/signing-keys'>;
/** `from`: null for a key that is new. */
type KeyChanged = Document<'POST', '/signing-keys/{alg}/rotations'>['changes'][number];

const load = async (api: ManagementApi) => (await api.send('GET', '/signing-keys', {})).value;

/** Without an algorithm: every one that the policy names. @throws CommandRefused for one that it does not name. */
async function rotate(api: ManagementApi, { alg, now }: Options) {
  const { policy } = await load(api);
  const wanted = policy.algorithms.filter((one) => alg === undefined || one === alg);
  if (alg !== undefined && wanted.length === 0) throw notInPolicy(alg, policy.algorithms);
  const changes: KeyChanged[] = [];
  for (const one of wanted) {
    const asked = { params: { alg: one }, body: { at_once: now === true } };
    changes.push(...(await api.send('POST', '/signing-keys/{alg}/rotations', asked)).value.changes);
  }
  return { changes, policy };
}

/** `changes`: null for an unknown key; empty for a key that had retired. */
async function revoke(api: ManagementApi, kid: string) {
  const { items: before, policy } = await load(api);
  const answered = await orNull(api.send('DELETE', '/signing-keys/{kid}', { params: { kid } }));
  return { changes: answered && changesBetween(before, await keysAfter(api, kid, before)), policy };
}

/** The keys after the change. The previous list, where the revoked key had signed the only access token. */
async function keysAfter(api: ManagementApi, kid: string, before: readonly Key[]): Promise<readonly Key[]> {
  try {
    return (await load(api)).items;
  } catch (error) {
    if (!isReason(error, 'invalid_token')) throw error;
    return before.map((key) => (key.kid === kid ? { ...key, ...REVOKED } : key));
  }
}

const REVOKED = { state: 'retired', reason: 'revocation_requested' } as const;

/** In the order in which one follows from the other: a key is published, the revoked key goes, its successor signs. */
function changesBetween(before: readonly Key[], after: readonly Key[]): readonly KeyChanged[] {
  const stateBefore = new Map(before.map(({ kid, state }) => [kid, state]));
  const made = after.filter(({ kid }) => !stateBefore.has(kid));
  const moved = after.filter(({ kid, state }) => (stateBefore.get(kid) ?? 'published') !== state);
  const ended = moved.filter(({ state }) => state !== 'signing');
  const began = moved.filter(({ state }) => state === 'signing');
  return [
    ...made.map(({ kid, alg }) => ({ kid, alg, from: null, to: 'published', reason: null })),
    ...[...ended, ...began].map(({ kid, alg, state, reason }) => ({
      kid,
      alg,
      from: stateBefore.get(kid) ?? 'published',
      to: state,
      reason,
    })),
  ];
}

/** In the order of --help. */
export const KEY_COMMANDS = [keysListCommand, keysRotateCommand, keysRevokeCommand] as const;
