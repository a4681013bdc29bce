/** A walk by its special members. All other members have the defaults of this file. */
import type { Commit } from '../../engine/commit.ts';
import { type Request, running } from '../../engine/run.ts';
import { carryOut } from './carry-out.ts';
import { BEGAN_AT } from './instants.ts';
import type { EngineRequest, InitialState, Invariant, Terms, Walk, WalkWords } from './walk.ts';

type Special<T extends Terms> = Pick<Walk<T>, 'name' | 'of' | 'machines' | 'bounds' | 'load' | 'requests'>;
/** Absent: nothing of the kind happens, nothing is remembered, no time ends anything. */
type Usual<T extends Terms> = Partial<
  Pick<
    Walk<T>,
    | 'disturbingRequests'
    | 'loadsLater'
    | 'isWorth'
    | 'whenCommitted'
    | 'whenAnswered'
    | 'actions'
    | 'faults'
    | 'instants'
    | 'backups'
  >
>;

/** How requests are made, and how a trace speaks of them. */
export type Asking<T extends Terms> = Pick<Walk<T>, 'requestOf'> & Pick<WalkWords<T>, 'name' | 'begins'>;

/** Absent: about all machines of the walk, for the standard that most of its invariants are for. */
export type DefinedInvariant<T extends Terms> = Omit<Invariant<T>, 'machines' | 'spec'> &
  Partial<Pick<Invariant<T>, 'machines' | 'spec'>>;

export type WalkDefinition<T extends Terms> = Special<T> &
  Usual<T> & {
    readonly initialStates: readonly InitialState<T>[];
    readonly asking: Asking<T>;
    /** Absent: commits are values, and `stored` has the rows of each table by the table's name. */
    readonly commit?: Walk<T>['commit'];
    /** Where the standards ask for most of the invariants. */
    readonly spec: string;
    readonly invariants: readonly DefinedInvariant<T>[];
    readonly words: Pick<WalkWords<T>, 'sender'> & Partial<Omit<WalkWords<T>, keyof Asking<T>>>;
  };

export const defineWalk = <T extends Terms>({
  asking: { requestOf, ...asking },
  words,
  spec,
  invariants,
  ...special
}: WalkDefinition<T>): Walk<T> => ({
  running,
  machineOf: (machine) => machine,
  commit: (stored, commit, _, leftOut) => carryOut(stored, commit as Commit, leftOut),
  whenCommitted: (known) => known,
  whenAnswered: (known) => known,
  faults: () => [],
  instants: () => [],
  ...special,
  requestOf,
  invariants: invariants.map((invariant) => ({ machines: special.machines, spec, ...invariant })),
  words: {
    commit: (commit) => wordsOfWrites(commit as Commit),
    commitNoun: () => special.of,
    answer: reasonIn,
    since: [BEGAN_AT, 'the start'],
    ...asking,
    ...words,
  },
});

/** "the code is used" */
const wordsOfWrites = ({ writes }: Commit): string =>
  writes
    .map((write) => (write.kind === 'insert' ? write.row : { ...write.loaded, ...write.set }))
    .map(({ id, state }) => `${id} is ${state ?? 'stored'}`)
    .join(', ');

function reasonIn(answer: unknown): string | null {
  const isRejected = typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'rejected';
  return isRejected && 'reason' in answer ? String(answer.reason) : null;
}

/** The same for every request of the kind, or by its parameters. */
type Said<Asked> = string | ((asked: Asked) => string);
const saidOf = <Asked>(said: Said<Asked>, asked: Asked): string => (typeof said === 'string' ? said : said(asked));

/** One kind of request: how a trace speaks of it, and how its lifecycle makes it. */
type Kind<Asked> = {
  /** "the claim" */
  readonly name: Said<Asked>;
  /** "A node asks for" */
  readonly from: Said<Asked>;
  // biome-ignore lint/suspicious/noExplicitAny: requests to several lifecycles stand in one walk.
  readonly request: (asked: Asked, draw: number) => Request<any, any, any, any, any>;
};
type Kinds<Asked extends { readonly kind: string }> = {
  readonly [K in Asked['kind']]: Kind<Extract<Asked, { readonly kind: K }>>;
};

/** Of a table of the kinds of requests. */
export function askingFor<T extends Terms & { readonly asked: { readonly kind: string } }>(
  kinds: Kinds<T['asked']>,
): Asking<T> {
  const kindOf = ({ kind }: T['asked']) => kinds[kind as T['asked']['kind']] as unknown as Kind<T['asked']>;
  const name = (asked: T['asked']) => saidOf(kindOf(asked).name, asked);
  return {
    requestOf: (asked, draw) => kindOf(asked).request(asked, draw) as EngineRequest<T>,
    name,
    begins: (asked) => `${saidOf(kindOf(asked).from, asked)} ${name(asked)}`,
  };
}

/** The ports at the time when every exploration begins. */
export const initialState = <T extends Terms>(
  says: string,
  stored: T['stored'],
  known: T['known'],
): InitialState<T> => ({ says: `${says}.`, now: BEGAN_AT, stored, known });
