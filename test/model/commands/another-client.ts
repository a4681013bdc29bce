import { exchange, refresh } from '../../support/actors.ts';
import { always, command } from '../command.ts';
import { expectRefused } from '../reality.ts';

/** Another client presents whatever there is, used or not: nothing changes. */
export const presentAsAnotherClient = (pick: number) =>
  command(`present as another client (${pick})`, always, async (_, { scene, code, tokens }) => {
    const token = tokens[pick % (tokens.length + 1)];
    expectRefused(
      await (token === undefined ? exchange(scene, scene.other, code) : refresh(scene, scene.other, token)),
    );
  });
