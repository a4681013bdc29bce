import { exchange, makePkce } from '../../support/actors.ts';
import { always, command } from '../command.ts';
import { expectRefused } from '../reality.ts';

/** The code with a verifier that is not its own, used or not: nothing changes. */
export const wrongVerifier = command('present the code with another verifier', always, async (_, { scene, code }) => {
  expectRefused(await exchange(scene, scene.client, { ...code, verifier: makePkce().verifier }));
});
