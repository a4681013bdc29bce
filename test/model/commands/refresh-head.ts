import { refresh } from '../../support/actors.ts';
import { command } from '../command.ts';
import { chainEndsAt, noteUse } from '../ledger.ts';
import { expectIssued, expectRefused } from '../reality.ts';

/** The client uses its newest refresh token. */
export const refreshHead = command(
  'present the newest refresh token',
  (ledger) => ledger.newest !== null,
  async (ledger, reality) => {
    const { scene, tokens } = reality;
    const answer = await refresh(scene, scene.client, tokens[ledger.newest ?? 0] ?? '');
    if (ledger.end || ledger.now >= chainEndsAt(ledger)) return expectRefused(answer);
    expectIssued(answer, reality);
    noteUse(ledger, (ledger.newest ?? 0) + 1);
  },
);
