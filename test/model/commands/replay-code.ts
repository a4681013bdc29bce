import { exchange } from '../../support/actors.ts';
import { command } from '../command.ts';
import { expectRefused } from '../reality.ts';

/** A holder of code and verifier presents them again: the chain ends, in time or not. */
export const replayCode = command(
  'present the used code again',
  (ledger) => ledger.isCodeUsed,
  async (ledger, { scene, code }) => {
    expectRefused(await exchange(scene, scene.client, code));
    ledger.end ??= 'reuse';
  },
);
