/** Any sequence of what clients, thieves, operators and time can do to one authorization, beside a ledger on paper. */
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { anyDatabase } from '../support/database.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { advanceClock } from './commands/advance-clock.ts';
import { presentAsAnotherClient } from './commands/another-client.ts';
import { deleteAndRegisterClient } from './commands/delete-client.ts';
import { disableUser } from './commands/disable-user.ts';
import { exchangeCode } from './commands/exchange.ts';
import { forge } from './commands/forge.ts';
import { raiseServerEpoch } from './commands/raise-server-epoch.ts';
import { refreshHead } from './commands/refresh-head.ts';
import { refreshUsed } from './commands/refresh-used.ts';
import { replayCode } from './commands/replay-code.ts';
import { wrongVerifier } from './commands/wrong-verifier.ts';
import { ABSOLUTE_SECONDS, CODE_SECONDS, IDLE_SECONDS, type Ledger } from './ledger.ts';

const few = fc.nat({ max: 1000 });
const shortTimes = fc.oneof(fc.integer({ min: 1, max: CODE_SECONDS - 1 }), fc.constant(CODE_SECONDS));
const longTimes = fc.oneof(
  fc.integer({ min: 1, max: IDLE_SECONDS - 1 }),
  fc.constantFrom(IDLE_SECONDS - 1, IDLE_SECONDS, ABSOLUTE_SECONDS),
);

/** Commands that keep a chain active are listed several times: most of the interesting cases need a chain that has lasted for a while. */
const commands = [
  ...Array.from({ length: 4 }, () => [fc.constant(exchangeCode), fc.constant(refreshHead)]).flat(),
  fc.constant(replayCode),
  few.map(refreshUsed),
  few.map(refreshUsed),
  few.map(presentAsAnotherClient),
  fc.constant(wrongVerifier),
  few.map(forge),
  shortTimes.map(advanceClock),
  longTimes.map(advanceClock),
  fc.constantFrom(disableUser, deleteAndRegisterClient, raiseServerEpoch),
];

describe('one authorization and its ledger', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  it('agree after every command', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 25, size: 'max' }), async (sequence) => {
        const code = await scene.code();
        const now = scene.clock.now().getTime();
        const model: Ledger = {
          now,
          end: null,
          startedAt: now,
          isCodeUsed: false,
          newest: null,
          used: new Set(),
          lastUsedAt: now,
        };
        await fc.asyncModelRun(() => ({ model, real: { scene, code, tokens: [] } }), sequence);
      }),
      { numRuns: 100 },
    );
  });
});
