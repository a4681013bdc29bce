/**
 * Everything that can happen next. Steps of requests that are under way cost nothing: every order of them is walked. What
 * begins a request, and what disturbs, is counted against the bounds.
 */
import { StoreUnavailable, Unavailable } from '../../engine/errors.ts';
import type { Commit, Step, StepAnswer } from '../../engine/present.ts';
import type { Lifetimes } from '../../model/lifetimes.ts';
import { type Bounds, CLIENT } from './beginning.ts';
import type { Answer, Going, Happening } from './happening.ts';
import type { Authorization } from './memory-store.ts';
import { nonceBytes, placeOf, RIGHT_CODE, RIGHT_TOKEN, WAYS } from './rightly.ts';
import { carryOut, type EnginePresentation, type Minted, type System } from './system.ts';
import {
  type Credential,
  type Flight,
  keyOfGoing,
  type Presentation,
  type Revoking,
  type Version,
  type World,
} from './world.ts';

export type Move = {
  readonly happening: Happening;
  readonly after: World;
  /** For the invariants: the commit that was carried out with it, if one was, and for which credential. */
  readonly committed: { readonly commit: Commit; readonly credential: Credential | null } | null;
  /** A defect that the engine found in itself. */
  readonly broken: string | null;
};

export function movesFrom(system: System, bounds: Bounds, world: World): Move[] {
  return [
    ...flightSteps(system, world),
    ...strayCommits(system, world),
    ...newRequests(system, bounds, world),
    ...disturbances(system, world, bounds),
  ];
}

/** What somebody presents who holds it and says it right. */
export function presentationOf(
  system: System,
  world: Pick<World, 'tokens'>,
  credential: Credential,
): EnginePresentation<Minted> {
  if (credential === 'code') return system.codePresentation(RIGHT_CODE, WAYS, system.machines);
  const token = world.tokens[credential];
  if (!token) throw new Error(`no token ${credential}`);
  return system.tokenPresentation(placeOf(token), RIGHT_TOKEN, WAYS, system.machines);
}

type Ran = { readonly next: Step } | { readonly answer: Answer } | { readonly broken: string };

/** Runs the engine from the load on, with the answers that it has had so far. */
export function run(
  system: System,
  presentation: EnginePresentation<Minted>,
  { first, nonce, answers }: Pick<Presentation, 'first' | 'nonce' | 'answers'>,
): Ran {
  try {
    const steps = system.presenting({ lifetimesOf: () => system.lifetimes }, first, presentation, nonceBytes(nonce));
    let next = steps.next();
    for (const answer of answers) next = steps.next(answer);
    if (!next.done) return { next: next.value };
    if (next.value.kind === 'rejected') return { answer: { kind: 'refused', reason: next.value.reason } };
    const { generation, nonce: bytes, mintedAt } = next.value.issued;
    return { answer: { kind: 'tokens', token: { generation, nonce: bytes[0] ?? 0, mintedAt } } };
  } catch (error) {
    if (error instanceof Unavailable) return { answer: { kind: 'unavailable', reason: error.reason } };
    return { broken: error instanceof Error ? error.message : String(error) };
  }
}

/** The same load, nonce and answers lead to the same step, whatever else is going on. */
function remember(system: System, world: World, flight: Omit<Presentation, 'next'>): Ran {
  const known = ran.get(system) ?? new Map<string, Ran>();
  ran.set(system, known);
  const token = flight.credential === 'code' ? null : world.tokens[flight.credential];
  const key = `${token ? `${token.generation}.${token.nonce}` : ''}|${keyOfGoing(flight)}`;
  const before = known.get(key) ?? run(system, presentationOf(system, world, flight.credential), flight);
  known.set(key, before);
  return before;
}
const ran = new WeakMap<System, Map<string, Ran>>();

function newRequests(system: System, { inFlight }: Bounds, world: World): Move[] {
  if (world.flights.length >= inFlight || world.left.presentations === 0) return [];
  const left = { ...world.left, presentations: world.left.presentations - 1 };
  const credentials: Credential[] = ['code', ...world.tokens.keys()];
  return credentials.map((credential) => {
    const first = system.loadPresentation(world.stored, CLIENT, new Date(world.now));
    const flight = { kind: 'presentation', nonce: world.draws + 1, credential, first, answers: [] } as const;
    const after = { ...world, left, draws: world.draws + 1 };
    const again = world.spent.includes(credential);
    return goOn(system, after, flight, null, { kind: 'presented', credential, again });
  });
}

/** The flight was answered a step, or begins: it goes on to its next step, or ends. */
function goOn(
  system: System,
  world: World,
  flight: Omit<Presentation, 'next'>,
  committed: Move['committed'],
  happening: Going,
): Move {
  const ran = remember(system, world, flight);
  if ('broken' in ran) return { happening, after: world, committed, broken: ran.broken };
  if ('next' in ran) {
    return { happening, after: withFlight(world, { ...flight, next: ran.next }), committed, broken: null };
  }
  const { answer } = ran;
  if (answer.kind === 'tokens') {
    return {
      happening,
      after: withFlight(world, { ...flight, next: { kind: 'issued', token: answer.token } }),
      committed,
      broken: null,
    };
  }
  // What is refused leaves nothing behind: its answer is as good as gone.
  return {
    happening: { ...happening, told: answer.reason },
    after: answered(world, flight.credential, answer),
    committed,
    broken: null,
  };
}

const withFlight = (world: World, flight: Flight): World => ({ ...world, flights: [...world.flights, flight] });

const without = (world: World, flight: Flight): World => ({
  ...world,
  flights: world.flights.filter((one) => one !== flight),
});

/** Whoever presents what was used before, and is told no, has ended the chain: from now on nothing may come of it. */
function answered(world: World, credential: Credential, answer: Answer): World {
  const isReuse = answer.kind === 'refused' && world.spent.includes(credential);
  return isReuse ? { ...world, ended: true } : world;
}

function flightSteps(system: System, world: World): Move[] {
  return world.flights.map((flight) => {
    const rest = without(world, flight);
    return flight.kind === 'revoking' ? revokingStep(system, rest, flight) : presentationStep(system, rest, flight);
  });
}

function presentationStep(system: System, world: World, flight: Presentation): Move {
  const { next, credential, ...going } = flight;
  if (next.kind === 'issued') {
    const after = { ...world, tokens: [...world.tokens, next.token] };
    return {
      happening: { kind: 'answered', credential, token: next.token },
      after,
      committed: null,
      broken: null,
    };
  }
  if (next.kind === 'load') {
    const loaded = system.loadPresentation(world.stored, CLIENT, new Date(world.now));
    const answers: StepAnswer[] = [...flight.answers, { kind: 'loaded', loaded }];
    return goOn(system, world, { ...going, credential, answers }, null, { kind: 'loadedAgain', credential });
  }
  const { commit } = next;
  const stored = carryOut(system, world.stored, world.now, commit);
  const answers: StepAnswer[] = [...flight.answers, { kind: 'committed', committed: stored !== null }];
  const what = commit.kind === 'moveHead' ? 'tokens' : 'revocation';
  const after = stored ? withStored(world, stored, commit, credential) : world;
  return goOn(system, after, { ...going, credential, answers }, stored && { commit, credential }, {
    kind: 'committed',
    credential,
    what,
    held: stored !== null,
  });
}

function withStored(world: World, stored: Authorization, commit: Commit | null, credential: Credential | null): World {
  const spent = commit?.kind === 'moveHead' && credential !== null ? [...world.spent, credential] : world.spent;
  const ended = world.ended || stored.grant.state === 'revoked';
  // Versions are for backups; without a disturbance left there is none to restore.
  const version: Version = { stored, spent, ended };
  return { ...world, stored, spent, ended, versions: world.left.disturbances > 0 ? [...world.versions, version] : [] };
}

function strayCommits(system: System, world: World): Move[] {
  return world.straying.flatMap((step) => {
    if (step.kind !== 'commit') return [];
    const rest = { ...world, straying: world.straying.filter((one) => one !== step) };
    const { commit } = step;
    const stored = carryOut(system, world.stored, world.now, commit);
    const credential = credentialOf(world, commit);
    const after = stored ? withStored(rest, stored, commit, credential) : rest;
    return [
      {
        happening: { kind: 'strayCommitted', held: stored !== null },
        after,
        committed: stored && { commit, credential },
        broken: null,
      },
    ];
  });
}

/** Whose use a commit was: the code's where the chain began with it, else that of the head that it was decided on. */
function credentialOf(world: World, commit: Commit): Credential | null {
  if (commit.kind !== 'moveHead') return null;
  const { refreshGeneration, refreshNonce } = commit.move.loaded;
  if (refreshGeneration === null) return 'code';
  const index = world.tokens.findIndex(
    (one) => one.generation === refreshGeneration && one.nonce === refreshNonce?.[0],
  );
  return index === -1 ? null : index;
}

function revokingStep(system: System, world: World, flight: Revoking): Move {
  const { next } = flight;
  if (next.kind === 'load') {
    const loaded = system.loadPresentation(world.stored, CLIENT, new Date(world.now));
    return goOnRevoking(system, world, { ...flight, answers: [...flight.answers, loaded] }, null, {
      kind: 'revocationLoadedAgain',
    });
  }
  const stored = system.revoke(world.stored, next.revocation);
  const after = stored ? withStored(world, stored, null, null) : world;
  const committed = stored && { commit: { kind: 'revoke', revocation: next.revocation } as const, credential: null };
  const happening = { kind: 'revocationCommitted', held: stored !== null } as const;
  return goOnRevoking(
    system,
    after,
    { ...flight, answers: [...flight.answers, stored !== null] },
    committed,
    happening,
  );
}

function goOnRevoking(
  system: System,
  world: World,
  flight: Omit<Revoking, 'next'>,
  committed: Move['committed'],
  happening: Happening,
): Move {
  try {
    const steps = system.revoking(flight.first, 'revocationRequested', system.machines.grant);
    let next = steps.next();
    for (const answer of flight.answers) next = steps.next(answer);
    if (!next.done)
      return { happening, after: withFlight(world, { ...flight, next: next.value }), committed, broken: null };
    // Told that it has ended, whoever asked relies on it.
    return { happening, after: { ...world, ended: true }, committed, broken: null };
  } catch (error) {
    return { happening, after: world, committed, broken: error instanceof Error ? error.message : String(error) };
  }
}

function disturbances(system: System, world: World, { inFlight }: Bounds): Move[] {
  if (world.left.disturbances === 0) return [];
  const left = { ...world.left, disturbances: world.left.disturbances - 1 };
  const disturbed = { ...world, left, versions: left.disturbances > 0 ? world.versions : [] };
  const quiet = (happening: Happening, after: World): Move => ({ happening, after, committed: null, broken: null });
  return [
    ...instantsAhead(system.lifetimes, world).map((to) => quiet({ kind: 'timePassed', to }, { ...disturbed, now: to })),
    ...world.flights.map((flight) =>
      quiet(
        { kind: 'crashed', credential: flight.kind === 'presentation' ? flight.credential : null },
        without(disturbed, flight),
      ),
    ),
    ...world.flights.flatMap((flight) =>
      flight.kind === 'presentation' ? lostAnswers(system, disturbed, flight) : [],
    ),
    ...(world.flights.length < inFlight ? [requestRevocation(system, disturbed)] : []),
    ...endings(disturbed).map(([kind, stored]) => quiet({ kind }, withStored(disturbed, stored, null, null))),
    ...world.versions
      .slice(0, -1)
      .flatMap((version, _index) => [
        quiet({ kind: 'backupRestored', recovered: false }, restored(disturbed, version, false)),
        quiet({ kind: 'backupRestored', recovered: true }, restored(disturbed, version, true)),
      ]),
  ];
}

/** Just before, at and just after everything that ends with time; always forward. */
function instantsAhead(policy: Lifetimes, { now, stored }: World): number[] {
  const { codeEndsAt, chainEndsAt, createdAt, lastUsedAt } = stored.grant;
  const ends = [
    codeEndsAt.getTime(),
    ...(chainEndsAt ? [chainEndsAt.getTime()] : []),
    ...(lastUsedAt ? [lastUsedAt.getTime() + policy.refreshIdleLifetimeSeconds * 1000] : []),
    createdAt.getTime() + policy.refreshAbsoluteLifetimeSeconds * 1000,
  ];
  const instants = ends.flatMap((end) => [end - 1, end, end + 1]);
  return [...new Set(instants)].filter((one) => one > now).sort((one, other) => one - other);
}

/** The connection is lost with the commit on its way: it was carried out, it may be later, or it never reached the database. */
function lostAnswers(system: System, world: World, flight: Presentation): Move[] {
  const { next, credential, ...going } = flight;
  if (next.kind !== 'commit') return [];
  const rest = without(world, flight);
  const told = (maybeCommitted: boolean): StepAnswer[] => [
    ...flight.answers,
    { kind: 'unavailable', error: maybeCommitted ? LOST : NOT_SENT },
  ];
  const lost = (carriedOut: 'yes' | 'notYet' | 'never', after: World, committed: Move['committed']) =>
    goOn(system, after, { ...going, credential, answers: told(carriedOut !== 'never') }, committed, {
      kind: 'commitAnswerLost',
      credential,
      carriedOut,
    });
  const stored = carryOut(system, world.stored, world.now, next.commit);
  return [
    ...(stored
      ? [lost('yes', withStored(rest, stored, next.commit, credential), { commit: next.commit, credential })]
      : []),
    lost('notYet', { ...rest, straying: [...rest.straying, next] }, null),
    lost('never', rest, null),
  ];
}

const LOST = new StoreUnavailable(true);
const NOT_SENT = new StoreUnavailable(false);

function requestRevocation(system: System, world: World): Move {
  const first = system.loadPresentation(world.stored, CLIENT, new Date(world.now));
  return goOnRevoking(system, world, { kind: 'revoking', first, answers: [] }, null, { kind: 'revocationRequested' });
}

/** Epochs only rise: disabling and deleting end grants for good, and undoing either revives none. */
function endings({ stored }: World) {
  const { client, user, serverEpoch } = stored;
  return [
    user.isDisabled
      ? (['userEnabled', { ...stored, user: { ...user, isDisabled: false } }] as const)
      : (['userDisabled', { ...stored, user: { epoch: user.epoch + 1n, isDisabled: true } }] as const),
    client.isDeleted
      ? (['clientRegisteredAgain', { ...stored, client: { ...client, isDeleted: false } }] as const)
      : (['clientDeleted', { ...stored, client: { epoch: client.epoch + 1n, isDeleted: true } }] as const),
    ['serverEpochRaised', { ...stored, serverEpoch: serverEpoch + 1n }] as const,
  ];
}

/**
 * The server was down: what was under way is gone. Recovered (`statehouse recover`, before traffic), every older grant has
 * ended. Not recovered, the store has forgotten what came after the backup, and with it which uses there were: then nothing can
 * be promised about those, only that what comes from now on keeps to the rules.
 */
function restored(world: World, { stored, spent, ended }: Version, recovered: boolean): World {
  const before = { ...world, flights: [], straying: [], stored, spent, ended, versions: [] };
  return recovered
    ? { ...before, ended: true, stored: { ...stored, serverEpoch: world.stored.serverEpoch + 1n } }
    : before;
}
