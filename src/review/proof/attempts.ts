/** The common part of the walks of deliveries and of mails: nodes that claim a row, attempt it and report, die and come late. */
import type { Commit } from '../../engine/commit.ts';
import type { Request } from '../../engine/run.ts';
import { type DefinedInvariant, initialState } from './define-walk.ts';
import { after, BEGAN_AT } from './instants.ts';
import { everythingIsAnswered } from './invariants.ts';
import type { ModelState } from './moment.ts';
import { storedAfter } from './moves.ts';
import type { Bounds, InitialState, Invariant, Walk } from './walk.ts';

const BOUNDS: readonly Bounds[] = [
  { requests: 3, inFlight: 2, faults: 1 },
  { requests: 3, inFlight: 2, faults: 0 },
  { requests: 2, inFlight: 1, faults: 2 },
];

/** The numbers matter to decisions only by when something falls due; the walks go to each of those instants. */
export const POLICY = { maxAttempts: 3, giveUpAfterSeconds: 600, claimSeconds: 45, waitsSeconds: [5, 60] };

export type AttemptedRow = {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly givesUpAt: Date;
};

type Claim = { readonly kind: 'claim' };
/** `claim`: of the attempt that is reported. Milliseconds since 1970. */
export type Report<Outcome extends string> = {
  readonly kind: 'report';
  readonly outcome: Outcome;
  readonly claim: number;
};
export type AskedOfAttempts<Outcome extends string, Rest> = Claim | Report<Outcome> | Rest;

export type KnownOfAttempts = {
  /** Claims that nodes were given, and have not reported. */
  readonly claims: readonly number[];
  /** The last of them since the row was stored or repeated; null: none. */
  readonly lastClaim: number | null;
  /** Claims that were committed since then. */
  readonly claimed: number;
  /** In all, and how many of them a node heard of. */
  readonly committedClaims: number;
  readonly answeredClaims: number;
  /** A report that it has arrived was committed since then. */
  readonly isConfirmed: boolean;
};

type Terms = {
  readonly stored: object;
  readonly asked: { readonly kind: string };
  readonly loaded: object;
  readonly commit: Commit;
  readonly answer: unknown;
  readonly known: KnownOfAttempts;
};

const isReport = (asked: Terms['asked']): asked is Report<string> => asked.kind === 'report';
const millisecondsOf = (instant: Date | null): number => instant?.getTime() ?? 0;

// Knowledge.

const NOTHING_KNOWN: KnownOfAttempts = {
  claims: [],
  lastClaim: null,
  claimed: 0,
  committedClaims: 0,
  answeredClaims: 0,
  isConfirmed: false,
};

/** A node attempts it, and has said nothing yet. */
const claimedUntil = (instant: Date, claimed: number): KnownOfAttempts => ({
  ...NOTHING_KNOWN,
  claims: [instant.getTime()],
  lastClaim: instant.getTime(),
  claimed,
});

const withClaim = (known: KnownOfAttempts, row: AttemptedRow): KnownOfAttempts =>
  row.state === 'pending'
    ? {
        ...known,
        lastClaim: row.nextAttemptAt?.getTime() ?? null,
        claimed: known.claimed + 1,
        committedClaims: known.committedClaims + 1,
      }
    : known;

const withReport = (known: KnownOfAttempts, { claim }: Report<string>, isConfirmed: boolean): KnownOfAttempts => ({
  ...known,
  // A claim that was reported runs no longer.
  lastClaim: known.lastClaim === claim ? null : known.lastClaim,
  isConfirmed: known.isConfirmed || isConfirmed,
});

/** @param claim that the node was given; null or undefined: none. */
function withAnswer(known: KnownOfAttempts, asked: Terms['asked'], claim: Date | null | undefined): KnownOfAttempts {
  if (isReport(asked)) return { ...known, claims: known.claims.filter((one) => one !== asked.claim) };
  if (asked.kind !== 'claim' || !claim) return known;
  const claims = [...new Set([...known.claims, claim.getTime()])];
  return { ...known, claims, answeredClaims: known.answeredClaims + 1 };
}

// Words of a trace.

const nameOfReport = ({ outcome, claim }: Report<string>): string =>
  `the report "${outcome}" of the attempt until ${(claim - BEGAN_AT) / 1000} s`;

const wordsOfAttempt = ({ writes: [write] }: Commit): string => {
  if (write.kind === 'insert') return 'it is stored';
  const { state, attempts } = { ...write.loaded, ...write.set } as AttemptedRow;
  return write.loaded['state'] === state ? `it is ${state}, attempt ${attempts}` : `it is ${state}`;
};

// Initial states, requests and invariants.

export type Attempts<T extends Terms, Row extends AttemptedRow> = {
  readonly rowIn: (stored: T['stored']) => Row;
  readonly storedWith: (row: Row) => T['stored'];
  /** As it is stored. */
  readonly fresh: Row;
  /** The columns of a row that has ended. */
  readonly ended: Partial<Row>;
  /** The subjects of the initial states: "a mail", and "a mail was stored". */
  readonly says: { readonly it: string; readonly begins: string };
  /** Every outcome that a node reports: that it has arrived, that it will never, that the attempt failed. */
  readonly outcomes: { readonly arrived: string; readonly refused: string; readonly failed: string };
  readonly states: { readonly arrived: string; readonly givenUp: string };
  readonly reasonIn: (row: Row) => string | null;
  /** The request that abandons it, besides its attempts, with the reason. */
  readonly withdrawal: { readonly asked: T['asked']; readonly reason: string };
  readonly refusal: string;
  /** A claim abandons a row that is too old; otherwise only a failure does. */
  readonly claimsEndTheTooOld: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each walk has its own lifecycle.
  readonly claimRequest: () => Request<any, any, any, any, any>;
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  readonly reportRequest: (report: any) => Request<any, any, any, any, any>;
  /** The instant that a node received with its claim. */
  readonly claimIn: (answer: T['answer']) => Date | null | undefined;
  /** Besides claims and reports. */
  readonly otherRequests: readonly T['asked'][];
  /** The violation besides claims and reports. */
  readonly unserved?: (then: (asked: T['asked']) => Row, modelState: ModelState<T>) => string | null;
};

type Checks<T extends Terms> = Pick<Invariant<T>, 'violation' | 'violationAt'>;

export function attempted<T extends Terms, Row extends AttemptedRow>(of: Attempts<T, Row>) {
  const { rowIn, outcomes, states } = of;
  // Every walk that is about attempts has these, and perhaps others.
  const reportOf = (outcome: string, claim: number) => ({ kind: 'report', outcome, claim }) as T['asked'];
  const reportsOf = (claim: number) => Object.values(outcomes).map((outcome) => reportOf(outcome, claim));
  const CLAIM: T['asked'] = { kind: 'claim' };
  const requests = ({ known }: ModelState<T>): readonly T['asked'][] => [
    CLAIM,
    ...known.claims.flatMap(reportsOf),
    ...of.otherRequests,
  ];

  const given = (says: string, change: Partial<AttemptedRow>, known: Partial<KnownOfAttempts> = {}): InitialState<T> =>
    initialState<T>(says, of.storedWith({ ...of.fresh, ...change }), { ...NOTHING_KNOWN, ...known } as T['known']);
  const underWay = (says: string, attempts: number, change: Partial<AttemptedRow> = {}) =>
    given(says, { attempts, nextAttemptAt: after(30), ...change }, claimedUntil(after(30), attempts));
  const givenEnded = (says: string, change: Partial<Row>, known: Partial<KnownOfAttempts>) =>
    given(says, { ...of.ended, ...change }, known);
  const { it, begins } = of.says;
  const initialStates: readonly InitialState<T>[] = [
    given(begins, {}),
    given(`${it} waits for its second attempt`, { attempts: 1, nextAttemptAt: after(5) }, { claimed: 1 }),
    given('The last attempt is due', { attempts: 2 }, { claimed: 2 }),
    underWay('A first attempt is under way', 1),
    underWay('The last attempt is under way', POLICY.maxAttempts),
    underWay(`${it} is nearly too old for another attempt`, 2, { givesUpAt: after(70) }),
  ];

  const waitAfter = (attempts: number): number =>
    (POLICY.waitsSeconds[Math.min(attempts, POLICY.waitsSeconds.length) - 1] ?? 0) * 1000;
  const isTooOld = ({ givesUpAt }: Row, instant: number): boolean => instant > givesUpAt.getTime();
  const isUsedUp = ({ attempts }: Row): boolean => attempts >= POLICY.maxAttempts;

  /** Worked out from the policy, not by the machine that is on trial. */
  function isReason(asked: T['asked'], before: Row, reason: string | null, now: number): boolean {
    if (asked.kind === of.withdrawal.asked.kind) return reason === of.withdrawal.reason;
    if (isReport(asked) && asked.outcome === outcomes.refused) return reason === of.refusal;
    const isClaim = asked.kind === 'claim';
    const isFailure = isReport(asked) && asked.outcome === outcomes.failed;
    if (reason === 'attempts_used_up') return isUsedUp(before) && (isClaim || isFailure);
    const mayBeTooOld = isFailure || (isClaim && of.claimsEndTheTooOld);
    const next = isClaim ? now : now + waitAfter(before.attempts);
    return reason === 'too_old' && mayBeTooOld && !isUsedUp(before) && isTooOld(before, next);
  }

  function whatIsNotDone(walk: Walk<T>, modelState: ModelState<T>): string | null {
    const row = rowIn(modelState.stored);
    const { now } = modelState;
    const { state, nextAttemptAt, attempts } = row;
    const then = (asked: T['asked']): Row => {
      const after = storedAfter(walk, modelState, asked);
      return after === null ? row : rowIn(after);
    };
    const unserved = of.unserved?.(then, modelState) ?? null;
    if (unserved !== null) return unserved;
    if (state !== 'pending' || nextAttemptAt === null) {
      const isArrived = then(reportOf(outcomes.arrived, 0)).state === states.arrived;
      return isArrived ? null : `it has arrived, and is not ${states.arrived}`;
    }
    if (then(of.withdrawal.asked).state !== states.givenUp) return `it is not ${states.givenUp} when asked for`;
    const claim = nextAttemptAt.getTime();
    if (now >= claim) {
      const claimed = then(CLAIM);
      const isOver = isUsedUp(row) || (of.claimsEndTheTooOld && isTooOld(row, now));
      const isServed = isOver ? claimed.state === states.givenUp : claimed.attempts === attempts + 1;
      if (!isServed) return 'it is due, and is not attempted';
    }
    if (attempts === 0) return null;
    if (then(reportOf(outcomes.arrived, claim)).state !== states.arrived) return 'a confirmation is ignored';
    const failed = then(reportOf(outcomes.failed, claim));
    const retryAt = now + waitAfter(attempts);
    if (isUsedUp(row) || isTooOld(row, retryAt)) return failed.state === states.givenUp ? null : 'it is never given up';
    const isLater = failed.state === 'pending' && failed.nextAttemptAt?.getTime() === retryAt;
    if (!isLater) return 'a failed attempt is not followed by another';
    // A failure of an attempt that was claimed before.
    const isOvertaking = then(reportOf(outcomes.failed, 0)) !== row;
    return isOvertaking ? 'an attempt that was overtaken changes what a later attempt decides' : null;
  }

  const oneAttemptAtATime: Checks<T> = {
    violation: (_, { known }, { commit, after }) => {
      const row = rowIn(after.stored);
      if (!commit?.held || commit.asked.kind !== 'claim' || row.state !== 'pending') return null;
      const begins = millisecondsOf(row.nextAttemptAt) - POLICY.claimSeconds * 1000;
      return known.lastClaim !== null && begins < known.lastClaim ? 'two nodes attempt it at the same time' : null;
    },
  };
  const noAttemptWithoutAClaim: Checks<T> = {
    violationAt: (_, { known: { answeredClaims, committedClaims } }) =>
      answeredClaims > committedClaims ? 'a node attempts a row that it has not claimed' : null,
  };
  const attemptsAreBounded: Checks<T> = {
    violationAt: (_, { known }) =>
      known.claimed > POLICY.maxAttempts ? `it was attempted ${known.claimed} times` : null,
  };
  const onlyPendingIsAttempted: Checks<T> = {
    violation: (_, { stored, now }, { commit, after }) => {
      const [before, row] = [rowIn(stored), rowIn(after.stored)];
      if (!commit?.held || commit.asked.kind !== 'claim' || row.state !== 'pending') return null;
      const isDue = before.state === 'pending' && now >= millisecondsOf(before.nextAttemptAt);
      if (!isDue) return `it was ${before.state}, and was attempted before its time`;
      const decidedAt = millisecondsOf(row.nextAttemptAt) - POLICY.claimSeconds * 1000;
      return of.claimsEndTheTooOld && isTooOld(before, decidedAt) ? 'it was attempted after its time' : null;
    },
  };
  const confirmedHasArrived: Checks<T> = {
    violationAt: (_, { known, stored }) => {
      const { state } = rowIn(stored);
      return known.isConfirmed && state !== states.arrived ? `it was confirmed, and is ${state}` : null;
    },
  };
  const arrivedIsConfirmed: Checks<T> = {
    violationAt: (_, { known, stored }) =>
      rowIn(stored).state === states.arrived && !known.isConfirmed
        ? `it is ${states.arrived}, without a confirmation`
        : null,
  };
  const givenUpForItsReason: Checks<T> = {
    violation: (_, { stored }, { commit, after }) => {
      const [before, row] = [rowIn(stored), rowIn(after.stored)];
      if (!commit?.held || row.state !== states.givenUp || before.state === states.givenUp) return null;
      const reason = of.reasonIn(row);
      return isReason(commit.asked, before, reason, commit.commit.now.getTime())
        ? null
        : `it was given up as ${reason}`;
    },
  };

  /** The invariants of every walk about attempts; each states the sentences for its own rows. */
  const ofClaims = (
    says: Readonly<Record<'oneAtATime' | 'claimed' | 'bounded' | 'pending', string>>,
  ): readonly DefinedInvariant<T>[] => [
    { name: 'one-attempt-at-a-time', says: says.oneAtATime, ...oneAttemptAtATime },
    { name: 'no-attempt-without-a-claim', says: says.claimed, ...noAttemptWithoutAClaim },
    { name: 'attempts-are-bounded', says: says.bounded, ...attemptsAreBounded },
    { name: 'only-pending-is-attempted', says: says.pending, ...onlyPendingIsAttempted },
  ];

  return {
    kinds: {
      claim: { name: 'the claim', from: 'A node asks for', request: of.claimRequest },
      report: {
        name: nameOfReport,
        from: 'A node brings',
        request: ({ outcome, claim }: Report<string>) => of.reportRequest({ outcome, claim: new Date(claim) }),
      },
    },
    given,
    givenEnded,
    initialStates,
    /** For the walk. */
    parts: {
      bounds: BOUNDS,
      requests,
      whenCommitted: (known: T['known'], asked: T['asked'], _: Commit, stored: T['stored']): T['known'] => {
        if (isReport(asked)) return withReport(known, asked, asked.outcome === outcomes.arrived);
        return asked.kind === 'claim' ? withClaim(known, rowIn(stored)) : known;
      },
      whenAnswered: (known: T['known'], asked: T['asked'], answer: T['answer']): T['known'] =>
        withAnswer(known, asked, of.claimIn(answer)),
      instants: ({ stored }: ModelState<T>): readonly number[] => {
        const { nextAttemptAt, givesUpAt } = rowIn(stored);
        return [nextAttemptAt?.getTime() ?? Number.POSITIVE_INFINITY, givesUpAt.getTime()];
      },
    },
    words: { commit: wordsOfAttempt },
    ofClaims,
    confirmedHasArrived,
    arrivedIsConfirmed,
    givenUpForItsReason,
    // With reports of an attempt that ended long ago.
    everyEventIsAnswered: everythingIsAnswered<T>((modelState) => [...requests(modelState), ...reportsOf(0)]),
    whatIsDueIsDone: { violationAt: whatIsNotDone } satisfies Checks<T>,
  };
}
