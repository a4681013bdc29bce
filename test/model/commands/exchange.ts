import { exchange } from '../../support/actors.ts';
import { command } from '../command.ts';
import { codeIsInTime, noteUse } from '../ledger.ts';
import { expectIssued, expectRefused } from '../reality.ts';

/** The client exchanges its code for the first time. */
export const exchangeCode = command(
  'exchange the code',
  (ledger) => !ledger.isCodeUsed,
  async (ledger, reality) => {
    const { scene, code } = reality;
    const answer = await exchange(scene, scene.client, code);
    if (ledger.end || !codeIsInTime(ledger)) return expectRefused(answer);
    expectIssued(answer, reality);
    ledger.isCodeUsed = true;
    noteUse(ledger, 0);
  },
);
