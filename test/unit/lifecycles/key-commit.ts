/** A commit of signing keys, by the keys that it moves and the key that it adds. */
import type { Commit } from '../../../src/engine/commit.ts';
import type { NewSigningKey, SigningKeyRow } from '../../../src/model/signing-key.ts';

export type KeyCommit = ReturnType<typeof keyCommit>;

export const keyCommit = ({ writes, now, entries }: Commit) => ({
  now,
  moves: writes.flatMap((write) =>
    write.kind === 'update'
      ? [{ from: write.loaded['state'], after: { ...write.loaded, ...write.set } as SigningKeyRow }]
      : [],
  ),
  added:
    writes.flatMap((write) =>
      write.kind === 'insert' ? [addedBy(write.row as NewSigningKey & SigningKeyRow)] : [],
    )[0] ?? null,
  entries,
});

function addedBy({ publicJwk, ...after }: NewSigningKey & SigningKeyRow) {
  const { kid, alg, privateJwe } = after;
  return { key: { kid, alg, publicJwk, privateJwe }, after };
}
