/**
 * The one loop for every lifecycle: load → decide → apply → check → commit → again.
 *
 * load     the row, the facts on which it depends, and the database's now(); no lock
 * decide   XState selects the transition; the results are the next state and effects, as data
 * apply    the effects make the next row, in memory
 * check    that row has to be in the machine's next state
 * commit   one guarded statement with its ledger entries; if a guard fails, the loop loads and decides again
 */
import type { Decision } from './decide.ts';
import { InvariantViolation, StoreUnavailable, Unavailable } from './errors.ts';
import type { Lifecycle, Step, Turn } from './lifecycle.ts';
import { type CommitResult, instrument, notify } from './observe.ts';
import { type MachineOf, stepsOf } from './step.ts';

/** One event for one row, or several that change the row together. */
export type Request<Loaded, Row, Facts, Commit, Answer> = {
  readonly lifecycle: Lifecycle<Row, Facts, Commit>;
  /** Reads the row, the facts and the event from the loaded values. Pure. */
  readonly read: (loaded: Loaded) => Turn<Row, Facts> & { readonly row: Row };
  /**
   * The answer to the caller if the step is committed. The loop makes it before the commit, so that everything that can
   * fail, such as signing, fails here. A promise: another thread or device makes it, and the loop waits for it.
   */
  readonly answer: (step: Step<Row>, loaded: Loaded, facts: Facts) => Answer | Promise<Answer>;
  /** After a lost commit: whether the row contains the change. Absent: the next decision shows it. */
  readonly isIn?: (loaded: Loaded, step: Step<Row>) => boolean;
};

/** The next command of the loop to the database. */
export type Command<Commit> =
  | { readonly kind: 'commit'; readonly commit: Commit }
  /** Resolves with the answer. */
  | { readonly kind: 'answer'; readonly answer: Promise<unknown> }
  /** `afterLostCommit`: the load is worth waiting for, because only the row shows whether the commit took place. */
  | { readonly kind: 'load'; readonly afterLostCommit: boolean };

/** The reply to a command. */
export type Reply<Loaded> =
  /** False: the guard did not hold, and nothing changed. */
  | { readonly kind: 'committed'; readonly committed: boolean }
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'loaded'; readonly loaded: Loaded }
  | { readonly kind: 'unavailable'; readonly error: StoreUnavailable };

const MAX_ATTEMPTS = 5;

/**
 * The loop without I/O: it yields commands and continues with the replies. The model check can therefore interleave the
 * steps of several requests in every order, with the code that serves them.
 *
 * @throws Unavailable when the store cannot be reached, does not settle, or its commit cannot be known.
 */
export function* running<Loaded, Row, Facts, Commit, Answer>(
  first: Loaded,
  { lifecycle, read, answer, isIn }: Request<Loaded, Row, Facts, Commit, Answer>,
  machineOf?: MachineOf,
): Generator<Command<Commit>, Answer, Reply<Loaded>> {
  let loaded = first;
  let lost: StoreUnavailable | null = null;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const turn = read(loaded);
    const { row, facts } = turn;
    const step = stepsOf(lifecycle, row, turn, machineOf);
    const made = answer(step, loaded, facts);
    const answered = made instanceof Promise ? yield* later(made) : made;
    if (step.after === row) return answered;
    const reply = yield { kind: 'commit', commit: lifecycle.commitOf(step, facts, step.entries) };
    if (reply.kind === 'committed' && reply.committed) return answered;
    if (reply.kind === 'unavailable') {
      if (reply.error.maybeCommitted) lost = reply.error;
      if (lost === null) throw new Unavailable('store_unavailable', { cause: reply.error });
    }
    const again = yield { kind: 'load', afterLostCommit: lost !== null };
    if (again.kind !== 'loaded') {
      const cause = lost ?? (again.kind === 'unavailable' ? again.error : undefined);
      throw new Unavailable(lost ? 'commit_unknown' : 'store_unavailable', { cause });
    }
    loaded = again.loaded;
    // Unless a commit was lost, the row shows the work of another request, even of one with the same command.
    if (lost !== null && isIn?.(loaded, step)) return answered;
  }
  throw new Unavailable(lost ? 'commit_unknown' : 'too_many_conflicts', lost ? { cause: lost } : {});
}

/** Before the commit: a signature that fails on another thread or device commits nothing. */
function* later<Answer>(
  answer: Promise<Answer>,
): Generator<{ readonly kind: 'answer'; readonly answer: Promise<unknown> }, Answer, Reply<unknown>> {
  const reply = yield { kind: 'answer', answer };
  if (reply.kind !== 'answered') throw new InvariantViolation('the loop waited for an answer and got another reply');
  return reply.answer as Answer;
}

export type Ports<Loaded, Commit> = Sleeping & {
  readonly load: () => Promise<Loaded>;
  /** Resolves to false when a fact that the commit depends on no longer held. Then nothing changed. */
  readonly commit: (commit: Commit) => Promise<boolean>;
};

export type Sleeping = {
  /** Takes milliseconds. Waits between reloads after a lost commit. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/**
 * A row that other requests may have removed. @param first absent: it is loaded. @returns null: the row is not found.
 * @throws Unavailable, StoreUnavailable
 */
export async function runFound<Loaded, Row, Facts, Commit, Answer>(
  { load, ...ports }: Omit<Ports<Loaded, Commit>, 'load'> & { readonly load: () => Promise<Loaded | null> },
  request: Request<Loaded, Row, Facts, Commit, Answer>,
  first?: Loaded,
): Promise<Answer | null> {
  const found = first ?? (await load());
  return found === null
    ? null
    : run({ ...ports, load: stillThere(load, request.lifecycle.machine.id) }, request, found);
}

/** A load of a row that was found before. */
export const stillThere =
  <Loaded>(load: () => Promise<Loaded | null>, machine: string) =>
  async (): Promise<Loaded> => {
    const loaded = await load();
    if (loaded === null) throw new InvariantViolation(`${machine}: the row vanished between load and reload`);
    return loaded;
  };

/** @param first absent: the loop loads it. @throws Unavailable as `running` does. */
export async function run<Loaded, Row, Facts, Commit, Answer>(
  ports: Ports<Loaded, Commit>,
  request: Request<Loaded, Row, Facts, Commit, Answer>,
  first?: Loaded,
): Promise<Answer> {
  const { id } = request.lifecycle.machine;
  let decisions: readonly Decision[] = [];
  const answer: typeof request.answer = (step, loaded, facts) => {
    decisions = step.decisions;
    return request.answer(step, loaded, facts);
  };
  try {
    const loaded = first ?? (await instrument('load', id, () => firstLoad(ports)));
    const steps = running<Loaded, Row, Facts, Commit, Answer>(loaded, { ...request, answer });
    let next = instrument('decide', id, () => steps.next());
    while (!next.done) {
      const command = next.value;
      const reply =
        command.kind === 'answer'
          ? ({ kind: 'answered', answer: await command.answer } as const)
          : await instrument(command.kind, id, () => askPorts(ports, command));
      if (command.kind === 'commit') notify(({ committed }) => committed?.(id, resultOf(reply)));
      next = instrument('decide', id, () => steps.next(reply));
    }
    notify(({ decided }) => decided?.(decisions));
    return next.value;
  } catch (error) {
    if (error instanceof Unavailable) notify(({ failed }) => failed?.(id, error.reason));
    throw error;
  }
}

function resultOf<Loaded>(reply: Reply<Loaded>): CommitResult {
  if (reply.kind === 'committed') return reply.committed ? 'committed' : 'conflict';
  return reply.kind === 'unavailable' && reply.error.maybeCommitted ? 'unknown' : 'unavailable';
}

async function firstLoad<Loaded, Commit>({ load }: Ports<Loaded, Commit>): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof StoreUnavailable) throw new Unavailable('store_unavailable', { cause: error });
    throw error;
  }
}

async function askPorts<Loaded, Commit>(
  ports: Ports<Loaded, Commit>,
  command: Exclude<Command<Commit>, { readonly kind: 'answer' }>,
): Promise<Reply<Loaded>> {
  if (command.kind === 'load') return reload(ports, command.afterLostCommit);
  try {
    return { kind: 'committed', committed: await ports.commit(command.commit) };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return { kind: 'unavailable', error };
  }
}

const NO_WAIT = [0] as const;
const WAITS_AFTER_LOST_COMMIT_MILLISECONDS = [0, 200, 1000] as const;

/**
 * In milliseconds. After the store has no time left for a request, the loop still makes these waits, and then fails
 * (src/system/deadlines.ts).
 */
export const LONGEST_SLEEPS_MILLISECONDS = WAITS_AFTER_LOST_COMMIT_MILLISECONDS.reduce<number>(
  (sum, wait) => sum + wait,
  0,
);

async function reload<Loaded, Commit>(
  { load, sleep }: Ports<Loaded, Commit>,
  afterLostCommit: boolean,
): Promise<Reply<Loaded>> {
  let unavailable = new StoreUnavailable(false);
  for (const wait of afterLostCommit ? WAITS_AFTER_LOST_COMMIT_MILLISECONDS : NO_WAIT) {
    if (wait > 0) await sleep(wait);
    try {
      return { kind: 'loaded', loaded: await load() };
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      unavailable = error;
    }
  }
  return { kind: 'unavailable', error: unavailable };
}
