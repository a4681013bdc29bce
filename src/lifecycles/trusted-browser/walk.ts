/** The walk of trusted browsers: sign-ins in them, in two tabs and by a thief, while trust, factors and the password end. */

import type { TrustedBrowserRejectReason } from '../../../machines/trusted-browser/facts.ts';
import type { Commit } from '../../engine/commit.ts';
import { type LeftOut, NOTHING_LEFT_OUT } from '../../review/proof/carry-out.ts';
import { askingFor, defineWalk, initialState } from '../../review/proof/define-walk.ts';
import { after, BEGAN_AT } from '../../review/proof/instants.ts';
import { everythingIsAnswered, staysEnded } from '../../review/proof/invariants.ts';
import type { ModelState } from '../../review/proof/moment.ts';
import { isAcceptedAlone, storedAfter } from '../../review/proof/moves.ts';
import type { Action, Walk } from '../../review/proof/walk.ts';
import type { FactorAnswer } from '../second-factor/lifecycle.ts';
import { type StoredTrustedBrowser, type TrustedBrowser, trustEndsAt } from './entity.ts';
import { type LoadedTrustedBrowser, requestedTrust, trustedBrowserRequest, trustRequest } from './lifecycle.ts';

const USER = 'the end-user';
const APP = 'the app';
const ONE_TIME_CODE = 'a recovery code';
const LIFETIME_SECONDS = 30 * 86_400;
const SHORTER_SECONDS = 86_400;

const ENDINGS = ['endRequested', 'endRequestedByAdministrator', 'factorsChanged', 'trustedAgain'] as const;

type Present = {
  readonly kind: 'present';
  /** The secret of this trust came with the right password. */
  readonly id: string;
  readonly proofIsDemanded: boolean;
  readonly lifetimeSeconds: number;
};
type Begin = {
  readonly kind: 'begin';
  readonly factorId: string;
  readonly proofIsDemanded: boolean;
  readonly lifetimeSeconds: number;
  /** Of the session in which the factor was proven. */
  readonly epochs: Pick<StoredTrustedBrowser, 'userEpoch' | 'serverEpoch'>;
};
type End = { readonly kind: 'end'; readonly id: string; readonly type: (typeof ENDINGS)[number] };
type Asked = Present | Begin | End;

type Stored = {
  readonly trustedBrowsers: readonly StoredTrustedBrowser[];
  readonly secondFactors: readonly [{ readonly id: string; readonly userId: string; readonly state: string }];
  readonly passkeys: readonly [];
  readonly users: readonly [{ readonly id: string; readonly epoch: bigint; readonly disabledAt: Date | null }];
  readonly serverEpoch: bigint;
  /** Of the policy. */
  readonly lifetimeSeconds: number;
  /** Sessions without a second factor, by the trust that stood in for it. */
  readonly sessions: readonly string[];
};

type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedTrustedBrowser;
  readonly commit: Commit;
  readonly answer: FactorAnswer<TrustedBrowserRejectReason>;
  /** The trust that was accepted in place of a factor, and whose session is not stored yet. */
  readonly known: { readonly accepted: readonly string[] };
};

const hashOf = (id: string) => new TextEncoder().encode(`the secret of ${id}`);

const trust = (id: string, change: Partial<StoredTrustedBrowser> = {}): StoredTrustedBrowser => ({
  id,
  userId: USER,
  state: 'active',
  secretHash: hashOf(id),
  userEpoch: 0n,
  serverEpoch: 0n,
  factorId: APP,
  userAgent: null,
  createdAt: after(0),
  endsAt: after(LIFETIME_SECONDS),
  lastUsedAt: null,
  endedAt: null,
  ...change,
});

const NOTHING: Stored = {
  trustedBrowsers: [],
  secondFactors: [{ id: APP, userId: USER, state: 'active' }],
  passkeys: [],
  users: [{ id: USER, epoch: 0n, disabledAt: null }],
  serverEpoch: 0n,
  lifetimeSeconds: LIFETIME_SECONDS,
  sessions: [],
};
const given = (says: string, stored: Partial<Stored>) =>
  initialState<Terms>(says, { ...NOTHING, ...stored }, { accepted: [] });

const BROWSER = 'the trust';
const NEW = 'the new trust';

const INITIAL_STATES = [
  given('A browser is trusted', { trustedBrowsers: [trust(BROWSER)] }),
  given('Two browsers are trusted', { trustedBrowsers: [trust(BROWSER), trust('the other trust')] }),
  given('A factor was proven in a browser that is not trusted yet', {}),
  given('The policy offers no trust any more', { trustedBrowsers: [trust(BROWSER)], lifetimeSeconds: 0 }),
  given('The trust of a browser had ended', {
    trustedBrowsers: [trust(BROWSER, { state: 'ended', secretHash: null, endedAt: after(0) })],
  }),
];

// Under the same contract as in Postgres (src/storage/trusted-browsers.ts).

const liveOf = ({ users: [user], serverEpoch }: Stored) => ({
  liveUserEpoch: user.disabledAt === null ? user.epoch : null,
  liveServerEpoch: serverEpoch,
});
const asLoaded = (stored: Stored, row: StoredTrustedBrowser): TrustedBrowser => ({ ...row, ...liveOf(stored) });
const isActive = ({ secondFactors }: Stored, factorId: string): boolean =>
  secondFactors.some(({ id, state }) => id === factorId && state === 'active');
const rowNamed = ({ trustedBrowsers }: Stored, id: string): StoredTrustedBrowser | undefined =>
  trustedBrowsers.find((row) => row.id === id);

function load(stored: Stored, asked: Asked, now: Date): LoadedTrustedBrowser {
  const id = asked.kind === 'begin' ? NEW : asked.id;
  const row = rowNamed(stored, id);
  if (row) return { now, factorStands: isActive(stored, row.factorId), browser: asLoaded(stored, row) };
  if (asked.kind !== 'begin') throw new Error(`There is no row ${id}.`);
  const { factorId, epochs, lifetimeSeconds } = asked;
  const facts = { now, factorStands: isActive(stored, factorId), ...liveOf(stored) };
  const fresh = { id, userId: USER, ...epochs, factorId, userAgent: null, secretHash: hashOf(id) };
  return requestedTrust(fresh, facts, lifetimeSeconds);
}

function requestsAt({ trustedBrowsers, users: [user], serverEpoch, lifetimeSeconds }: Stored): readonly Asked[] {
  const begin = { kind: 'begin', lifetimeSeconds, epochs: { userEpoch: user.epoch, serverEpoch } } as const;
  return [
    ...trustedBrowsers.flatMap(({ id }): readonly Asked[] => [
      { kind: 'present', id, proofIsDemanded: false, lifetimeSeconds },
      { kind: 'present', id, proofIsDemanded: true, lifetimeSeconds },
      ...ENDINGS.map((type): End => ({ kind: 'end', id, type })),
    ]),
    ...(trustedBrowsers.length === 0
      ? ([
          { ...begin, factorId: APP, proofIsDemanded: false },
          { ...begin, factorId: APP, proofIsDemanded: true },
          { ...begin, factorId: ONE_TIME_CODE, proofIsDemanded: false },
        ] as const)
      : []),
  ];
}

/** The fact of the statement that stores a session, which is no commit as a value. */
export const TRUST_STANDS = 'the trust stands';

/** A session that a trust stood in for; the end-user; the operator; the policy. */
export function actionsAt(
  { stored, known }: ModelState<Terms>,
  leftOut: LeftOut = NOTHING_LEFT_OUT,
): readonly Action<Terms>[] {
  const [user] = stored.users;
  const [app] = stored.secondFactors;
  const withUser = (change: Partial<typeof user>): Stored => ({
    ...stored,
    users: [{ ...user, epoch: user.epoch + 1n, ...change }],
  });
  const sessions = known.accepted
    .filter((id) => !stored.sessions.includes(id))
    .filter((id) => leftOut.has(TRUST_STANDS) || rowNamed(stored, id)?.state === 'active')
    .map((id) => ({
      says: `The session without a second factor is stored, by ${id}.`,
      stored: { ...stored, sessions: [...stored.sessions, id] },
    }));
  return [
    ...sessions,
    { says: 'The end-user gets a new password.', stored: withUser({}) },
    user.disabledAt === null
      ? { says: 'The end-user is disabled.', stored: withUser({ disabledAt: after(0) }) }
      : { says: 'The end-user is enabled again.', stored: withUser({ disabledAt: null, epoch: user.epoch }) },
    {
      says: 'The operator ends all trust (statehouse recover).',
      stored: { ...stored, serverEpoch: stored.serverEpoch + 1n },
    },
    ...(app.state === 'active'
      ? [{ says: 'The app is removed.', stored: { ...stored, secondFactors: [{ ...app, state: 'removed' }] as const } }]
      : []),
    ...(stored.lifetimeSeconds === LIFETIME_SECONDS
      ? [SHORTER_SECONDS, 0].map((lifetimeSeconds) => ({
          says: `The policy trusts browsers for ${lifetimeSeconds} seconds.`,
          stored: { ...stored, lifetimeSeconds },
        }))
      : []),
  ];
}

/** The presentations that would be accepted now, and should not be. */
const acceptedWhere = (wrong: (row: TrustedBrowser, asked: Present, modelState: ModelState<Terms>) => boolean) => ({
  violationAt: (walk: Walk<Terms>, modelState: ModelState<Terms>): string | null => {
    const { stored } = modelState;
    const accepted = requestsAt(stored).find((asked) => {
      const row = asked.kind === 'present' ? rowNamed(stored, asked.id) : undefined;
      return (
        asked.kind === 'present' &&
        row !== undefined &&
        wrong(asLoaded(stored, row), asked, modelState) &&
        isAcceptedAlone(walk, modelState, asked)
      );
    });
    return accepted?.kind === 'present' ? `${accepted.id} stands in for a factor` : null;
  },
});

const epochsDiffer = (row: TrustedBrowser): boolean =>
  row.liveUserEpoch !== row.userEpoch || row.liveServerEpoch !== row.serverEpoch;

const NIST = 'NIST SP 800-63B-4';

export const trustedBrowsers = defineWalk<Terms>({
  name: 'trusted-browsers',
  of: 'trusted browsers',
  machines: ['trustedBrowser'],
  spec: `${NIST} §2.2`,
  bounds: [
    { requests: 3, inFlight: 2, faults: 0 },
    { requests: 2, inFlight: 2, faults: 1 },
  ],
  initialStates: INITIAL_STATES,
  load,
  requests: ({ stored }) => requestsAt(stored),
  asking: askingFor<Terms>({
    present: {
      name: ({ id, proofIsDemanded }) => `${id}${proofIsDemanded ? ', where a proof is demanded' : ''}`,
      from: 'With the right password comes',
      request: ({ proofIsDemanded, lifetimeSeconds }) =>
        trustedBrowserRequest({ type: 'presented', proofIsDemanded, lifetimeSeconds }),
    },
    begin: {
      name: ({ factorId, proofIsDemanded }) =>
        `the wish for trust after ${factorId}${proofIsDemanded ? ' of an administrator' : ''}`,
      from: 'A browser sends',
      request: ({ proofIsDemanded, lifetimeSeconds }) =>
        trustRequest({ id: NEW }, { proofIsDemanded, lifetimeSeconds }),
    },
    end: {
      name: ({ id, type }) => `the end of ${id} (${type})`,
      from: 'An end-user or an administrator asks for',
      request: ({ type }) => trustedBrowserRequest({ type }),
    },
  }),
  whenAnswered: (known, asked, answer) =>
    asked.kind === 'present' && answer.kind === 'accepted'
      ? { accepted: [...new Set([...known.accepted, asked.id])] }
      : known,
  actions: (modelState) => actionsAt(modelState),
  faults: () => [],
  instants: ({ stored }) => [
    ...new Set(
      stored.trustedBrowsers
        .filter(({ state }) => state === 'active')
        .map((row) => trustEndsAt(row, stored.lifetimeSeconds))
        .filter((instant) => instant > BEGAN_AT),
    ),
  ],
  invariants: [
    {
      name: 'a-stolen-password-meets-the-factor',
      says: 'A password alone meets the second factor: only the secret of a trust that stands skips it, until the session is stored.',
      ...acceptedWhere(({ state }) => state !== 'active'),
      violation: (_, { stored }, { after: { stored: later } }) => {
        const id = later.sessions.find((one) => !stored.sessions.includes(one));
        return id !== undefined && rowNamed(stored, id)?.state !== 'active' ? `${id} had ended` : null;
      },
    },
    {
      name: 'trust-begins-with-a-standing-factor',
      says: 'A browser is trusted only after the proof of an active factor, and where the policy offers it.',
      violation: (_, { stored }, { commit }) => {
        if (!commit?.held || commit.asked.kind !== 'begin') return null;
        const { factorId, proofIsDemanded, lifetimeSeconds } = commit.asked;
        if (!isActive(stored, factorId)) return 'no active factor was proven';
        return proofIsDemanded || lifetimeSeconds === 0 ? 'the policy offers no trust here' : null;
      },
      violationAt: (_, { stored: { trustedBrowsers: rows } }) =>
        new Set(rows.map(({ id }) => id)).size < rows.length ? 'one wish made two of them' : null,
    },
    {
      name: 'trust-ends-in-time',
      says: 'Trust ends with its time, under the current policy and never later than stored.',
      ...acceptedWhere((row, { lifetimeSeconds }, { now }) => now >= trustEndsAt(row, lifetimeSeconds)),
    },
    {
      name: 'a-new-password-ends-trust',
      says: 'No trust from before a new password, a disabled end-user or a recovery stands in for a factor.',
      ...acceptedWhere(epochsDiffer),
      violation: (_, { stored }, { commit }) => {
        if (!commit?.held || commit.asked.kind === 'end') return null;
        const row = rowNamed(stored, commit.asked.kind === 'begin' ? NEW : commit.asked.id);
        const epoch = row?.userEpoch ?? (commit.asked.kind === 'begin' ? commit.asked.epochs.userEpoch : null);
        return liveOf(stored).liveUserEpoch === epoch ? null : 'trust was given or used after its epoch';
      },
    },
    {
      name: 'a-removed-factor-ends-trust',
      says: 'Trust never outlives the factor that was proven for it.',
      spec: `${NIST} §4.3`,
      ...acceptedWhere((row, _, { stored }) => !isActive(stored, row.factorId)),
      violation: (_, { stored }, { commit }) => {
        const isUsed = commit?.held === true && commit.asked.kind === 'present';
        const row = isUsed && commit.asked.kind === 'present' ? rowNamed(stored, commit.asked.id) : undefined;
        return row && !isActive(stored, row.factorId) ? 'it was used after its factor' : null;
      },
    },
    {
      name: 'a-demanded-proof-is-given',
      says: 'Where a client demands several factors, or of an administrator, no browser stands in for one.',
      spec: 'RFC 9470 §5',
      ...acceptedWhere((_, { proofIsDemanded }) => proofIsDemanded),
    },
    {
      name: 'ended-trust-stays-ended',
      says: 'Trust that has ended stays so, and its secret is gone.',
      ...staysEnded<Terms, StoredTrustedBrowser>({
        rows: ({ trustedBrowsers: rows }) => rows,
        nameOf: ({ id }) => id,
        hasEnded: ({ state }) => state === 'ended',
        fact: ({ state, lastUsedAt }) => `${state} ${lastUsedAt?.getTime()}`,
      }),
      violationAt: (_, { stored }) =>
        stored.trustedBrowsers.some(({ state, secretHash }) => (state === 'ended') !== (secretHash === null))
          ? 'a secret is left, or is missing'
          : null,
    },
    {
      name: 'every-event-of-trust-is-answered',
      says: 'Every event of a trusted browser is answered, in every state that can be reached.',
      spec: 'RFC 9110 §15',
      ...everythingIsAnswered(({ stored }) => requestsAt(stored)),
    },
    {
      name: 'trust-is-served',
      says: 'Trust in time stands in for the factor, and each request for its end ends it: nothing above holds because nothing works.',
      violationAt: (walk, modelState) => {
        const { stored, now } = modelState;
        const unserved = requestsAt(stored).find((asked) => isUnserved(walk, modelState, asked, now));
        return unserved ? `${unserved.kind} is not served` : null;
      },
    },
  ],
  words: { commitNoun: () => 'the trust', sender: 'browsers' },
});

/** The request has to succeed, and does not. */
function isUnserved(walk: Walk<Terms>, modelState: ModelState<Terms>, asked: Asked, now: number): boolean {
  const { stored } = modelState;
  if (asked.kind === 'begin') {
    const { factorId, proofIsDemanded, lifetimeSeconds } = asked;
    const isOffered = isActive(stored, factorId) && !proofIsDemanded && lifetimeSeconds > 0;
    if (!isOffered || stored.users[0].disabledAt !== null) return false;
    return rowNamed(storedAfter(walk, modelState, asked) ?? stored, NEW)?.state !== 'active';
  }
  const row = rowNamed(stored, asked.id);
  if (row?.state !== 'active' || epochsDiffer(asLoaded(stored, row))) return false;
  if (asked.kind === 'end')
    return rowNamed(storedAfter(walk, modelState, asked) ?? stored, asked.id)?.state !== 'ended';
  const isInTime = now < trustEndsAt(row, asked.lifetimeSeconds) && isActive(stored, row.factorId);
  return isInTime && !asked.proofIsDemanded && !isAcceptedAlone(walk, modelState, asked);
}
