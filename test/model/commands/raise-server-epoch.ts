import { raiseServerEpoch as raise } from '../../../src/storage/server.ts';
import { always, command } from '../command.ts';

/** The operator ends every grant there is. */
export const raiseServerEpoch = command('raise the epoch of the server', always, async (ledger, { scene }) => {
  await raise(scene.database.drizzle);
  ledger.end ??= 'epoch';
});
