/**
 * All next steps. Steps of requests in flight cost nothing: the explorer walks every order of them. A new request and a fault count
 * against the bounds.
 */
import { StoreUnavailable, Unavailable } from '../../engine/errors.ts';
import type { Command, Reply } from '../../engine/run.ts';
import { numberOf } from './keys.ts';
import { type Flight, type Going, keyOfGoing, type ModelState, type Move, type Step } from './moment.ts';
import type { Action, Bounds, Terms, Walk } from './walk.ts';

export function movesFrom<T extends Terms>(walk: Walk<T>, bounds: Bounds, modelState: ModelState<T>): Move<T>[] {
  return [
    ...modelState.flights.map((flight) => flightStep(walk, without(modelState, flight), flight)),
    ...delayedCommits(walk, modelState),
    ...newRequests(walk, bounds, modelState),
    ...faults(walk, bounds, modelState),
  ];
}

export type Ran<T extends Terms> =
  | { readonly kind: 'wants'; readonly next: Command<T['commit']> }
  | { readonly kind: 'answered'; readonly answer: T['answer'] }
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'broken'; readonly words: string };

/** Runs the engine's loop from the load on, with the replies so far. */
export function runFrom<T extends Terms>(walk: Walk<T>, { asked, draw, first, replies }: Going<T>): Ran<T> {
  if (first === null) return { kind: 'wants', next: FIRST_LOAD };
  try {
    const steps = walk.running(first, walk.requestOf(asked, draw), walk.machineOf);
    let next = steps.next();
    for (const one of replies) next = steps.next(one);
    return next.done ? { kind: 'answered', answer: next.value } : { kind: 'wants', next: next.value };
  } catch (error) {
    if (error instanceof Unavailable) return { kind: 'unavailable', reason: error.reason };
    return { kind: 'broken', words: error instanceof Error ? error.message : String(error) };
  }
}
const FIRST_LOAD = { kind: 'load', afterLostCommit: false } as const;

/** The first command of the engine for a request that runs alone from now on. For questions about a state, not part of the walk. */
export const runAlone = <T extends Terms>(walk: Walk<T>, { stored, now }: ModelState<T>, asked: T['asked']): Ran<T> =>
  runFrom(walk, {
    asked,
    draw: DRAW_OF_A_QUESTION,
    first: walk.load(stored, asked, new Date(now), false),
    replies: NO_REPLY,
  });

/** Whether a presentation that runs alone from now on is accepted. */
export function isAcceptedAlone<T extends Terms & { readonly answer: { readonly kind: string } }>(
  walk: Walk<T>,
  modelState: ModelState<T>,
  asked: T['asked'],
): boolean {
  const ran = runAlone(walk, modelState, asked);
  return ran.kind === 'wants' || (ran.kind === 'answered' && ran.answer.kind === 'accepted');
}

/** The rows after the commit of a request that runs alone from now on. Null: it commits nothing (of this kind), or its guard does not hold. */
export function storedAfter<T extends Terms>(
  walk: Walk<T>,
  modelState: ModelState<T>,
  asked: T['asked'],
  isMeant: (commit: T['commit']) => boolean = () => true,
): T['stored'] | null {
  const ran = runAlone(walk, modelState, asked);
  if (ran.kind !== 'wants' || ran.next.kind !== 'commit' || !isMeant(ran.next.commit)) return null;
  return walk.commit(modelState.stored, ran.next.commit, new Date(modelState.now));
}

const DRAW_OF_A_QUESTION = 30;
const NO_REPLY: readonly never[] = [];

/** The same load, draw and answers lead to the same step, beside any other request. */
function remembered<T extends Terms>(walk: Walk<T>, going: Going<T>, key: string): Ran<T> {
  const { runs } = memoryOf(walk);
  const known = runs.get(key);
  if (known !== undefined) return known as Ran<T>;
  const ran = runFrom(walk, going);
  runs.set(key, ran);
  return ran;
}

function loadAt<T extends Terms>(
  walk: Walk<T>,
  { stored, now }: ModelState<T>,
  asked: T['asked'],
  again: boolean,
): T['loaded'] {
  const { loads } = memoryOf(walk);
  const key = `${numberOf(stored)}.${numberOf(asked)}.${now}.${again}`;
  const known = loads.get(key);
  if (known !== undefined) return known;
  const loaded = walk.load(stored, asked, new Date(now), again);
  loads.set(key, loaded);
  return loaded;
}

function committedAt<T extends Terms>(
  walk: Walk<T>,
  { stored, now }: ModelState<T>,
  commit: T['commit'],
): T['stored'] | null {
  const { commits } = memoryOf(walk);
  const key = `${numberOf(stored)}.${numberOf(commit)}.${now}`;
  const known = commits.get(key);
  if (known !== undefined) return known;
  const after = walk.commit(stored, commit, new Date(now));
  commits.set(key, after);
  return after;
}

type Memory = {
  readonly runs: Map<string, unknown>;
  readonly loads: Map<string, object>;
  readonly commits: Map<string, object | null>;
};
const memories = new WeakMap<object, Memory>();
function memoryOf(walk: object): Memory {
  const memory = memories.get(walk) ?? { runs: new Map(), loads: new Map(), commits: new Map() };
  memories.set(walk, memory);
  return memory;
}

function newRequests<T extends Terms>(walk: Walk<T>, { inFlight }: Bounds, modelState: ModelState<T>): Move<T>[] {
  if (modelState.left.requests === 0) return [];
  const after = { ...modelState, left: { ...modelState.left, requests: modelState.left.requests - 1 } };
  return [
    ...(modelState.flights.length < inFlight
      ? walk.requests(modelState, walk).map((asked) => begun(walk, after, asked))
      : []),
    ...(walk.actions?.(modelState) ?? []).map((action) => done(walk, after, action)),
  ];
}

function begun<T extends Terms>(walk: Walk<T>, modelState: ModelState<T>, asked: T['asked']): Move<T> {
  const draw = modelState.draws + 1;
  const first = walk.loadsLater?.(asked) ? null : loadAt(walk, modelState, asked, false);
  return goOn(walk, { ...modelState, draws: draw }, { asked, draw, first, replies: NO_REPLY }, null, {
    kind: 'begun',
    asked,
    known: modelState.known,
  });
}

const NOTHING_ELSE = { commit: null, answer: null, action: null, broken: null } as const;

/** A reply arrives, or the request begins: the request takes its next step, or ends. */
function goOn<T extends Terms>(
  walk: Walk<T>,
  modelState: ModelState<T>,
  going: Going<T>,
  commit: Move<T>['commit'],
  modelStep: Step<T>,
): Move<T> {
  const key = keyOfGoing(going);
  const ran = remembered(walk, going, key);
  const move = { ...NOTHING_ELSE, modelStep, after: modelState, commit };
  switch (ran.kind) {
    case 'wants':
      return { ...move, after: withFlight(modelState, { ...going, next: ran.next, key }) };
    case 'broken':
      return { ...move, broken: ran.words };
    case 'unavailable':
      return { ...move, modelStep: { ...modelStep, ending: ran } };
    case 'answered': {
      const { asked } = going;
      const { answer } = ran;
      if (walk.isWorth?.(answer)) return { ...move, after: withFlight(modelState, { ...going, next: ran, key }) };
      return {
        ...move,
        modelStep: { ...modelStep, ending: ran },
        after: withKnown(modelState, walk.whenAnswered(modelState.known, asked, answer)),
        answer: { asked, answer },
      };
    }
  }
}

const withFlight = <T extends Terms>(modelState: ModelState<T>, flight: Flight<T>): ModelState<T> => ({
  ...modelState,
  flights: [...modelState.flights, flight],
});
const without = <T extends Terms>(modelState: ModelState<T>, flight: Flight<T>): ModelState<T> => ({
  ...modelState,
  flights: modelState.flights.filter((one) => one !== flight),
});
const withKnown = <T extends Terms>(modelState: ModelState<T>, known: T['known']): ModelState<T> =>
  known === modelState.known ? modelState : { ...modelState, known };

function flightStep<T extends Terms>(walk: Walk<T>, modelState: ModelState<T>, flight: Flight<T>): Move<T> {
  const { next, key: _, ...going } = flight;
  const { asked, replies } = going;
  switch (next.kind) {
    case 'answered': {
      const { answer } = next;
      const known = walk.whenAnswered(modelState.known, asked, answer);
      const modelStep = { kind: 'left', asked, ending: next } as const;
      return { ...NOTHING_ELSE, modelStep, after: withKnown(modelState, known), answer: { asked, answer } };
    }
    case 'load': {
      const isFirst = going.first === null;
      const loaded = loadAt(walk, modelState, asked, !isFirst);
      const then = isFirst
        ? { ...going, first: loaded }
        : { ...going, replies: [...replies, replied({ kind: 'loaded', loaded })] };
      return goOn(walk, modelState, then, null, { kind: 'loaded', asked, again: !isFirst });
    }
    // The proof has its answers immediately.
    case 'answer':
      throw new Error('The proof signs nothing with another service.');
    case 'commit': {
      const { commit } = next;
      const stored = committedAt(walk, modelState, commit);
      const held = stored !== null;
      const then = { ...going, replies: [...replies, held ? HELD : NOT_HELD] };
      const modelStep = { kind: 'committed', asked, commit, held } as const;
      return goOn(walk, withCommit(walk, modelState, asked, commit, stored), then, { asked, commit, held }, modelStep);
    }
  }
}

const replied = <T extends Terms>(reply: Reply<T['loaded']>) => reply;
const HELD = { kind: 'committed', committed: true } as const;
const NOT_HELD = { kind: 'committed', committed: false } as const;
const LOST = { kind: 'unavailable', error: new StoreUnavailable(true) } as const;
const NOT_SENT = { kind: 'unavailable', error: new StoreUnavailable(false) } as const;

function withCommit<T extends Terms>(
  walk: Walk<T>,
  modelState: ModelState<T>,
  asked: T['asked'],
  commit: T['commit'],
  stored: T['stored'] | null,
): ModelState<T> {
  return stored === null
    ? modelState
    : withStored(walk, modelState, stored, walk.whenCommitted(modelState.known, asked, commit, stored));
}

function withStored<T extends Terms>(
  walk: Walk<T>,
  modelState: ModelState<T>,
  stored: T['stored'],
  known: T['known'],
): ModelState<T> {
  // Versions are for backups; without a fault left there is none to restore.
  const isKept = walk.backups !== undefined && modelState.left.faults > 0;
  const versions = isKept ? [...modelState.versions, { stored, known: walk.backups.of(known) }] : [];
  return { ...modelState, stored, known, versions };
}

function delayedCommits<T extends Terms>(walk: Walk<T>, modelState: ModelState<T>): Move<T>[] {
  return modelState.delayed.map((delayed) => {
    const rest = { ...modelState, delayed: modelState.delayed.filter((one) => one !== delayed) };
    const stored = committedAt(walk, modelState, delayed.commit);
    const arrived = { ...delayed, held: stored !== null };
    return {
      ...NOTHING_ELSE,
      modelStep: { kind: 'delayedArrived', ...arrived },
      after: withCommit(walk, rest, delayed.asked, delayed.commit, stored),
      commit: arrived,
    };
  });
}

const done = <T extends Terms>(walk: Walk<T>, modelState: ModelState<T>, action: Action<T>): Move<T> => ({
  ...NOTHING_ELSE,
  modelStep: { kind: 'action', says: action.says },
  after: withStored(walk, modelState, action.stored, action.known ?? modelState.known),
  action,
});

function faults<T extends Terms>(walk: Walk<T>, { inFlight }: Bounds, modelState: ModelState<T>): Move<T>[] {
  if (modelState.left.faults === 0) return [];
  const left = { ...modelState.left, faults: modelState.left.faults - 1 };
  const disturbed = { ...modelState, left, versions: left.faults > 0 ? modelState.versions : [] };
  const quiet = (modelStep: Step<T>, after: ModelState<T>): Move<T> => ({ ...NOTHING_ELSE, modelStep, after });
  const asking = modelState.flights.length < inFlight ? (walk.disturbingRequests?.(modelState) ?? []) : [];
  return [
    ...instantsAhead(walk, modelState).map((to) => quiet({ kind: 'timePassed', to }, { ...disturbed, now: to })),
    ...modelState.flights.map((flight) => quiet({ kind: 'crashed', asked: flight.asked }, without(disturbed, flight))),
    ...modelState.flights.flatMap((flight) => lostAnswers(walk, disturbed, flight)),
    ...asking.map((asked) => begun(walk, disturbed, asked)),
    ...walk.faults(modelState).map((action) => done(walk, disturbed, action)),
    ...restored(walk, modelState, disturbed),
  ];
}

/** Just before, at and just after everything that ends with time; always forward. */
function instantsAhead<T extends Terms>(walk: Walk<T>, modelState: ModelState<T>): number[] {
  const instants = walk.instants(modelState).flatMap((end) => [end - 1, end, end + 1]);
  return [...new Set(instants)]
    .filter((one) => one > modelState.now && Number.isFinite(one))
    .sort((one, other) => one - other);
}

/** The connection is lost with the commit on its way: it was carried out, it may be later, or it never reached the database. */
function lostAnswers<T extends Terms>(walk: Walk<T>, modelState: ModelState<T>, flight: Flight<T>): Move<T>[] {
  const { next, key: _, ...going } = flight;
  if (next.kind !== 'commit') return [];
  const { asked, replies } = going;
  const { commit } = next;
  const rest = without(modelState, flight);
  const lost = (carriedOut: 'yes' | 'notYet' | 'never', after: ModelState<T>) =>
    goOn(
      walk,
      after,
      { ...going, replies: [...replies, carriedOut === 'never' ? NOT_SENT : LOST] },
      carriedOut === 'yes' ? { asked, commit, held: true } : null,
      { kind: 'answerLost', asked, commit, carriedOut },
    );
  const stored = committedAt(walk, modelState, commit);
  return [
    ...(stored === null ? [] : [lost('yes', withCommit(walk, rest, asked, commit, stored))]),
    lost('notYet', { ...rest, delayed: [...rest.delayed, { asked, commit }] }),
    lost('never', rest),
  ];
}

/** The server was down: the requests in flight are gone, and the store has the rows of the backup. */
function restored<T extends Terms>(
  { backups }: Walk<T>,
  modelState: ModelState<T>,
  disturbed: ModelState<T>,
): Move<T>[] {
  if (!backups) return [];
  return modelState.versions.slice(0, -1).flatMap((version) =>
    [false, true].map((recovered) => ({
      ...NOTHING_ELSE,
      modelStep: { kind: 'backupRestored', recovered } as const,
      after: {
        ...disturbed,
        flights: [],
        delayed: [],
        versions: [],
        ...backups.restored(modelState, version, recovered),
      },
    })),
  );
}
