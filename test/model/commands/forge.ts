import { exchange, refresh } from '../../support/actors.ts';
import { always, command } from '../command.ts';
import { expectRefused } from '../reality.ts';

/** One character of an existing credential, changed: nothing changes. */
export const forge = (pick: number) =>
  command(`forge (${pick})`, always, async (_, { scene, code, tokens }) => {
    const real = [code.code, ...tokens][pick % (tokens.length + 1)] ?? '';
    const at = 6 + (pick % (real.length - 6));
    const forged = real.slice(0, at) + (real[at] === 'A' ? 'B' : 'A') + real.slice(at + 1);
    expectRefused(
      await (real === code.code
        ? exchange(scene, scene.client, { ...code, code: forged })
        : refresh(scene, scene.client, forged)),
    );
  });
