/**
 * All next steps. Steps of requests in flight cost nothing: the explorer walks every order of them. A new request and a fault count
 * against the bounds.
 */
import { StoreUnavailable, Unavailable } from '../../engine/errors.ts';
import type { Command, Reply } from '../../engine/run.ts';
import { numberOf } from './keys.ts';
import { type Flight, type Going, type Happening, keyOfGoing, type Moment, type Move } from './moment.ts';
import type { Action, Bounds, Terms, Walk } from './walk.ts';

export function movesFrom<T extends Terms>(walk: Walk<T>, bounds: Bounds, moment: Moment<T>): Move<T>[] {
  return [
    ...moment.flights.map((flight) => flightStep(walk, without(moment, flight), flight)),
    ...delayedCommits(walk, moment),
    ...newRequests(walk, bounds, moment),
    ...faults(walk, bounds, moment),
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
export const runAlone = <T extends Terms>(walk: Walk<T>, { stored, now }: Moment<T>, asked: T['asked']): Ran<T> =>
  runFrom(walk, {
    asked,
    draw: DRAW_OF_A_QUESTION,
    first: walk.load(stored, asked, new Date(now), false),
    replies: NO_REPLY,
  });

/** The rows after the commit of a request that runs alone from now on. Null: it commits nothing (of this kind), or its guard does not hold. */
export function storedAfter<T extends Terms>(
  walk: Walk<T>,
  moment: Moment<T>,
  asked: T['asked'],
  isMeant: (commit: T['commit']) => boolean = () => true,
): T['stored'] | null {
  const ran = runAlone(walk, moment, asked);
  if (ran.kind !== 'wants' || ran.next.kind !== 'commit' || !isMeant(ran.next.commit)) return null;
  return walk.commit(moment.stored, ran.next.commit, new Date(moment.now));
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
  { stored, now }: Moment<T>,
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
  { stored, now }: Moment<T>,
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

function newRequests<T extends Terms>(walk: Walk<T>, { inFlight }: Bounds, moment: Moment<T>): Move<T>[] {
  if (moment.left.requests === 0) return [];
  const after = { ...moment, left: { ...moment.left, requests: moment.left.requests - 1 } };
  return [
    ...(moment.flights.length < inFlight ? walk.requests(moment, walk).map((asked) => begun(walk, after, asked)) : []),
    ...(walk.actions?.(moment) ?? []).map((action) => done(walk, after, action)),
  ];
}

function begun<T extends Terms>(walk: Walk<T>, moment: Moment<T>, asked: T['asked']): Move<T> {
  const draw = moment.draws + 1;
  const first = walk.loadsLater?.(asked) ? null : loadAt(walk, moment, asked, false);
  return goOn(walk, { ...moment, draws: draw }, { asked, draw, first, replies: NO_REPLY }, null, {
    kind: 'begun',
    asked,
    known: moment.known,
  });
}

const NOTHING_ELSE = { commit: null, answer: null, action: null, broken: null } as const;

/** A reply arrives, or the request begins: the request takes its next step, or ends. */
function goOn<T extends Terms>(
  walk: Walk<T>,
  moment: Moment<T>,
  going: Going<T>,
  commit: Move<T>['commit'],
  happening: Happening<T>,
): Move<T> {
  const key = keyOfGoing(going);
  const ran = remembered(walk, going, key);
  const move = { ...NOTHING_ELSE, happening, after: moment, commit };
  switch (ran.kind) {
    case 'wants':
      return { ...move, after: withFlight(moment, { ...going, next: ran.next, key }) };
    case 'broken':
      return { ...move, broken: ran.words };
    case 'unavailable':
      return { ...move, happening: { ...happening, ending: ran } };
    case 'answered': {
      const { asked } = going;
      const { answer } = ran;
      if (walk.isWorth?.(answer)) return { ...move, after: withFlight(moment, { ...going, next: ran, key }) };
      return {
        ...move,
        happening: { ...happening, ending: ran },
        after: withKnown(moment, walk.whenAnswered(moment.known, asked, answer)),
        answer: { asked, answer },
      };
    }
  }
}

const withFlight = <T extends Terms>(moment: Moment<T>, flight: Flight<T>): Moment<T> => ({
  ...moment,
  flights: [...moment.flights, flight],
});
const without = <T extends Terms>(moment: Moment<T>, flight: Flight<T>): Moment<T> => ({
  ...moment,
  flights: moment.flights.filter((one) => one !== flight),
});
const withKnown = <T extends Terms>(moment: Moment<T>, known: T['known']): Moment<T> =>
  known === moment.known ? moment : { ...moment, known };

function flightStep<T extends Terms>(walk: Walk<T>, moment: Moment<T>, flight: Flight<T>): Move<T> {
  const { next, key: _, ...going } = flight;
  const { asked, replies } = going;
  switch (next.kind) {
    case 'answered': {
      const { answer } = next;
      const known = walk.whenAnswered(moment.known, asked, answer);
      const happening = { kind: 'left', asked, ending: next } as const;
      return { ...NOTHING_ELSE, happening, after: withKnown(moment, known), answer: { asked, answer } };
    }
    case 'load': {
      const isFirst = going.first === null;
      const loaded = loadAt(walk, moment, asked, !isFirst);
      const then = isFirst
        ? { ...going, first: loaded }
        : { ...going, replies: [...replies, replied({ kind: 'loaded', loaded })] };
      return goOn(walk, moment, then, null, { kind: 'loaded', asked, again: !isFirst });
    }
    // The proof has its answers immediately.
    case 'answer':
      throw new Error('The proof signs nothing with another service.');
    case 'commit': {
      const { commit } = next;
      const stored = committedAt(walk, moment, commit);
      const held = stored !== null;
      const then = { ...going, replies: [...replies, held ? HELD : NOT_HELD] };
      const happening = { kind: 'committed', asked, commit, held } as const;
      return goOn(walk, withCommit(walk, moment, asked, commit, stored), then, { asked, commit, held }, happening);
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
  moment: Moment<T>,
  asked: T['asked'],
  commit: T['commit'],
  stored: T['stored'] | null,
): Moment<T> {
  return stored === null
    ? moment
    : withStored(walk, moment, stored, walk.whenCommitted(moment.known, asked, commit, stored));
}

function withStored<T extends Terms>(
  walk: Walk<T>,
  moment: Moment<T>,
  stored: T['stored'],
  known: T['known'],
): Moment<T> {
  // Versions are for backups; without a fault left there is none to restore.
  const isKept = walk.backups !== undefined && moment.left.faults > 0;
  const versions = isKept ? [...moment.versions, { stored, known: walk.backups.of(known) }] : [];
  return { ...moment, stored, known, versions };
}

function delayedCommits<T extends Terms>(walk: Walk<T>, moment: Moment<T>): Move<T>[] {
  return moment.delayed.map((delayed) => {
    const rest = { ...moment, delayed: moment.delayed.filter((one) => one !== delayed) };
    const stored = committedAt(walk, moment, delayed.commit);
    const arrived = { ...delayed, held: stored !== null };
    return {
      ...NOTHING_ELSE,
      happening: { kind: 'delayedArrived', ...arrived },
      after: withCommit(walk, rest, delayed.asked, delayed.commit, stored),
      commit: arrived,
    };
  });
}

const done = <T extends Terms>(walk: Walk<T>, moment: Moment<T>, action: Action<T>): Move<T> => ({
  ...NOTHING_ELSE,
  happening: { kind: 'action', says: action.says },
  after: withStored(walk, moment, action.stored, action.known ?? moment.known),
  action,
});

function faults<T extends Terms>(walk: Walk<T>, { inFlight }: Bounds, moment: Moment<T>): Move<T>[] {
  if (moment.left.faults === 0) return [];
  const left = { ...moment.left, faults: moment.left.faults - 1 };
  const disturbed = { ...moment, left, versions: left.faults > 0 ? moment.versions : [] };
  const quiet = (happening: Happening<T>, after: Moment<T>): Move<T> => ({ ...NOTHING_ELSE, happening, after });
  const asking = moment.flights.length < inFlight ? (walk.disturbingRequests?.(moment) ?? []) : [];
  return [
    ...instantsAhead(walk, moment).map((to) => quiet({ kind: 'timePassed', to }, { ...disturbed, now: to })),
    ...moment.flights.map((flight) => quiet({ kind: 'crashed', asked: flight.asked }, without(disturbed, flight))),
    ...moment.flights.flatMap((flight) => lostAnswers(walk, disturbed, flight)),
    ...asking.map((asked) => begun(walk, disturbed, asked)),
    ...walk.faults(moment).map((action) => done(walk, disturbed, action)),
    ...restored(walk, moment, disturbed),
  ];
}

/** Just before, at and just after everything that ends with time; always forward. */
function instantsAhead<T extends Terms>(walk: Walk<T>, moment: Moment<T>): number[] {
  const instants = walk.instants(moment).flatMap((end) => [end - 1, end, end + 1]);
  return [...new Set(instants)]
    .filter((one) => one > moment.now && Number.isFinite(one))
    .sort((one, other) => one - other);
}

/** The connection is lost with the commit on its way: it was carried out, it may be later, or it never reached the database. */
function lostAnswers<T extends Terms>(walk: Walk<T>, moment: Moment<T>, flight: Flight<T>): Move<T>[] {
  const { next, key: _, ...going } = flight;
  if (next.kind !== 'commit') return [];
  const { asked, replies } = going;
  const { commit } = next;
  const rest = without(moment, flight);
  const lost = (carriedOut: 'yes' | 'notYet' | 'never', after: Moment<T>) =>
    goOn(
      walk,
      after,
      { ...going, replies: [...replies, carriedOut === 'never' ? NOT_SENT : LOST] },
      carriedOut === 'yes' ? { asked, commit, held: true } : null,
      { kind: 'answerLost', asked, commit, carriedOut },
    );
  const stored = committedAt(walk, moment, commit);
  return [
    ...(stored === null ? [] : [lost('yes', withCommit(walk, rest, asked, commit, stored))]),
    lost('notYet', { ...rest, delayed: [...rest.delayed, { asked, commit }] }),
    lost('never', rest),
  ];
}

/** The server was down: the requests in flight are gone, and the store has the rows of the backup. */
function restored<T extends Terms>({ backups }: Walk<T>, moment: Moment<T>, disturbed: Moment<T>): Move<T>[] {
  if (!backups) return [];
  return moment.versions.slice(0, -1).flatMap((version) =>
    [false, true].map((recovered) => ({
      ...NOTHING_ELSE,
      happening: { kind: 'backupRestored', recovered } as const,
      after: { ...disturbed, flights: [], delayed: [], versions: [], ...backups.restored(moment, version, recovered) },
    })),
  );
}
