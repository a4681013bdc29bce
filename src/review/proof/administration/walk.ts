/** The walk of the administration: administrators who register, change, disable and delete the same client or end-user at once. */
import { isDeepStrictEqual } from 'node:util';
import { running } from '../../../engine/run.ts';
import { clientRequest } from '../../../lifecycles/client/lifecycle.ts';
import { userRequest } from '../../../lifecycles/user/lifecycle.ts';
import type { Bounds, EngineRequest, Walk } from '../walk.ts';
import { INITIAL_STATES } from './initial-states.ts';
import { INVARIANTS } from './invariants.ts';
import { expecting, requestsAt } from './requests.ts';
import { commitAdministration, load, USER_ID } from './store.ts';
import type { Asked, Terms } from './terms.ts';
import { WORDS } from './words.ts';

const BOUNDS: readonly Bounds[] = [
  { requests: 2, inFlight: 2, faults: 1 },
  { requests: 3, inFlight: 2, faults: 0 },
];

export const administration: Walk<Terms> = {
  name: 'administration',
  of: 'administration',
  machines: ['client', 'user'],
  bounds: BOUNDS,
  initialStates: INITIAL_STATES,
  running,
  machineOf: (machine) => machine,
  load,
  requestOf,
  commit: (stored, commit) => commitAdministration(stored, commit),
  requests: ({ stored }) => requestsAt(stored).flatMap((asked) => [asked, ...expecting(asked, stored)]),
  whenCommitted: ({ stored }, _, { after }) => ({ stored: [...stored, after] }),
  whenAnswered: (known) => known,
  faults: () => [],
  instants: () => [],
  invariants: INVARIANTS,
  words: WORDS,
};

function requestOf(asked: Asked): EngineRequest<Terms> {
  const expects = (row: object) => asked.expected === null || isDeepStrictEqual(row, asked.expected);
  const { actor } = asked;
  const request: unknown =
    asked.about === 'client'
      ? clientRequest({ actor, change: asked.change, expects })
      : userRequest({ id: USER_ID, actor, change: asked.change, next: asked.next, expects });
  return request as EngineRequest<Terms>;
}
