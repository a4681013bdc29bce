import { refresh } from '../../support/actors.ts';
import { command } from '../command.ts';
import { expectRefused } from '../reality.ts';

/** A used refresh token comes back: the chain dies, expired or not. */
export const refreshUsed = (pick: number) =>
  command(
    `present a used refresh token (${pick})`,
    (ledger) => ledger.used.size > 0,
    async (ledger, { scene, tokens }) => {
      const used = [...ledger.used];
      expectRefused(await refresh(scene, scene.client, tokens[used[pick % used.length] ?? 0] ?? ''));
      ledger.end ??= 'reuse';
    },
  );
