/** The walk of codes, refresh tokens and their grant: presented by their client and by thieves, revoked, ended by epochs. */
import { running } from '../../../engine/run.ts';
import type { GrantCommit } from '../../../lifecycles/grant/lifecycle.ts';
import type { Lifetimes } from '../../../model/lifetimes.ts';
import type { Moment } from '../moment.ts';
import type { Bounds } from '../walk.ts';
import { APPROVED_AT, approved, CLIENT, OTHER_CLIENT } from './initial-state.ts';
import { INVARIANTS } from './invariants.ts';
import { credentialsOf, presentedRightly, REVOCATION, requestsUnder } from './requests.ts';
import { type Authorization, commitGrant, loadPresentation } from './store.ts';
import type { Asked, AuthorizationWalk, Ending, Known, Terms } from './terms.ts';
import { WORDS } from './words.ts';

/**
 * Two explorations: many presentations with one fault, fewer with two. What a violation needs is little: no mutant of the
 * suite (test/unit/review) needs more than these.
 */
const BOUNDS: readonly Bounds[] = [
  { requests: 4, inFlight: 3, faults: 1 },
  { requests: 3, inFlight: 2, faults: 2 },
];

export const authorizations = (lifetimes: Lifetimes): AuthorizationWalk => ({
  name: 'authorizations',
  of: 'codes, refresh tokens and grants',
  machines: ['authorizationCode', 'refreshToken', 'grant'],
  lifetimes,
  bounds: BOUNDS,
  initialStates: [
    {
      says: 'The end-user approves; the code is on its way to the client.',
      now: APPROVED_AT,
      stored: approved(lifetimes),
      known: { tokens: [], spent: [], ended: false },
    },
  ],
  running,
  machineOf: (machine) => machine,
  load: (stored, asked, now) => loadPresentation(stored, clientOf(asked), now),
  requestOf: requestsUnder(lifetimes),
  commit: (stored, commit, now) => commitGrant(stored, commit, now),
  requests: ({ known }) => credentialsOf(known).map((credential) => presentedRightly(known, credential)),
  disturbingRequests: () => [REVOCATION],
  isWorth: (answer) => typeof answer === 'object' && answer.kind === 'issued',
  whenCommitted,
  whenAnswered,
  faults: ({ stored }) => endings(stored),
  instants: (moment) => endsOf(lifetimes, moment),
  backups: {
    of: ({ spent, ended }: Known) => ({ spent, ended }),
    // Not recovered, the store has forgotten what came after the backup, and with it which uses there were: then nothing can be
    // promised about those, only that what comes from now on keeps to the rules.
    restored: ({ stored: { serverEpoch }, known: { tokens } }, backup, recovered) => {
      const { stored } = backup;
      const known = { tokens, ...(backup.known as Omit<Known, 'tokens'>) };
      return recovered
        ? { stored: { ...stored, serverEpoch: serverEpoch + 1n }, known: { ...known, ended: true } }
        : { stored, known };
    },
  },
  invariants: INVARIANTS,
  words: WORDS,
});

const clientOf = (asked: Asked) =>
  asked.kind !== 'revocation' && asked.said.clientId === OTHER_CLIENT.clientId ? OTHER_CLIENT : CLIENT;

function whenCommitted(known: Known, { credential }: Asked, commit: GrantCommit, { grant }: Authorization): Known {
  const spent = commit.kind === 'moveHead' && credential !== null ? [...known.spent, credential] : known.spent;
  return { ...known, spent, ended: known.ended || grant.state === 'revoked' };
}

function whenAnswered(known: Known, { credential }: Asked, answer: Terms['answer']): Known {
  // A requester that is told that it has ended relies on it.
  if (typeof answer === 'boolean' || credential === null) return { ...known, ended: true };
  if (answer.kind === 'issued') return { ...known, tokens: [...known.tokens, answer.issued] };
  // A used credential was presented again and rejected, which ended the chain: from now on it yields nothing.
  return known.spent.includes(credential) ? { ...known, ended: true } : known;
}

function endsOf(lifetimes: Lifetimes, { stored: { grant } }: Moment<Terms>): number[] {
  const { codeEndsAt, chainEndsAt, createdAt, lastUsedAt } = grant;
  return [
    codeEndsAt.getTime(),
    ...(chainEndsAt ? [chainEndsAt.getTime()] : []),
    ...(lastUsedAt ? [lastUsedAt.getTime() + lifetimes.refreshIdleLifetimeSeconds * 1000] : []),
    createdAt.getTime() + lifetimes.refreshAbsoluteLifetimeSeconds * 1000,
  ];
}

/** Epochs only rise: what undoes an action revives no grant. */
function endings(stored: Authorization): readonly Ending[] {
  const { client, user, serverEpoch } = stored;
  const raised = user.epoch + 1n;
  return [
    user.isDisabled
      ? { says: 'The end-user is enabled again.', stored: { ...stored, user: { ...user, isDisabled: false } } }
      : {
          says: 'The end-user is disabled.',
          event: 'userDisabled',
          stored: { ...stored, user: { epoch: raised, isDisabled: true } },
        },
    {
      says: 'The end-user gets a new password.',
      event: 'passwordChanged',
      stored: { ...stored, user: { ...user, epoch: raised } },
    },
    client.isDeleted
      ? {
          says: 'The client is registered again under the same id.',
          stored: { ...stored, client: { ...client, isDeleted: false } },
        }
      : {
          says: 'The client is deleted.',
          event: 'clientDeleted',
          stored: { ...stored, client: { epoch: client.epoch + 1n, isDeleted: true } },
        },
    {
      says: 'The operator ends all grants (statehouse recover).',
      event: 'serverRecovered',
      stored: { ...stored, serverEpoch: serverEpoch + 1n },
    },
  ];
}
