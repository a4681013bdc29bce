/** Which root secrets are still needed, by what, and until when. */
import { openKept } from '../crypto/kept-key.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { isSealedByFirst } from '../crypto/sealed-text.ts';
import type { Remedy } from '../lifecycles/root-keys.ts';
import type { Drizzle } from '../storage/database.ts';
import { type Need, rootSecretNeeds } from '../storage/root-secret-census.ts';
import { type Clock, databaseClock } from '../system/clock.ts';
import { minute } from './durations.ts';

/** @throws StoreUnavailable */
export const needsOf = (db: Drizzle, keys: RootKeys, clock: Clock = databaseClock): Promise<readonly Need[]> =>
  rootSecretNeeds(
    db,
    clock,
    keys.first.id,
    (kept, purpose) => isSealedByFirst(keys, kept.sealed) && openKept(keys, purpose, kept) !== null,
  );

const REMEDY: Readonly<Record<Remedy, string>> = {
  renewed: 'renewed within the hour by a node that lists both',
  atUse: 'renewed at the next use',
};

type Words = { readonly keyId: string; readonly isListed: boolean; readonly lines: readonly string[] };

function wordsOfEach(needs: readonly Need[], keys: RootKeys): readonly Words[] {
  return [...new Set(needs.map(({ keyId }) => keyId))].toSorted().map((id) => ({
    keyId: id,
    isListed: keys.byId.has(id),
    lines: needs
      .filter(({ keyId }) => keyId === id)
      .map(({ what, count, remedy, endsAt }) => {
        const until = endsAt === null ? '' : `, the last until ${minute(endsAt)}`;
        return `${count} ${what} (${REMEDY[remedy]}${until})`;
      }),
  }));
}

/** The listed root secrets behind the first, with the rows that need each. */
export const rootSecretRows = (needs: readonly Need[], keys: RootKeys): [string, string[]][] =>
  wordsOfEach(needs, keys)
    .filter(({ isListed }) => isListed)
    .map(({ keyId, lines }) => [keyId, lines.map((line) => `still needed by ${line}`)]);

export const rootSecretWarnings = (needs: readonly Need[], keys: RootKeys): string[] =>
  wordsOfEach(needs, keys)
    .filter(({ isListed }) => !isListed)
    .map(
      ({ keyId, lines }) =>
        `root secret ${keyId} is not in STATEHOUSE_SECRET, and is still needed by ${lines.join('; ')}. ` +
        'Without it they no longer work: add it to the end of the list (docs/deploying.md, "The root secret")',
    );

export const rootSecretDocument = (needs: readonly Need[], keys: RootKeys) =>
  needs.map(({ keyId, what, count, remedy, endsAt }) => ({
    root_secret: keyId,
    listed: keys.byId.has(keyId),
    needed_by: what,
    count,
    renewed: remedy === 'renewed' ? 'by_nodes' : 'at_use',
    ends_at: endsAt?.toISOString() ?? null,
  }));
