/** The walk of codes, refresh tokens and their grant: presented by their client and by thieves, revoked, ended by epochs. */
import type { Lifetimes } from '../../../model/lifetimes.ts';
import { defineWalk, initialState } from '../../../review/proof/define-walk.ts';
import { BEGAN_AT } from '../../../review/proof/instants.ts';
import type { ModelState } from '../../../review/proof/moment.ts';
import { endings } from '../../../review/proof/owners.ts';
import type { GrantCommit } from '../lifecycle.ts';
import { INVARIANTS } from './invariants.ts';
import {
  type Asked,
  type Authorization,
  type AuthorizationWalk,
  approved,
  CLIENT,
  commitGrant,
  type Known,
  loadPresentation,
  OTHER_CLIENT,
  type Terms,
} from './ports.ts';
import { askingUnder, credentialsOf, presentedRightly, REVOCATION } from './requests.ts';

export const authorizations = (lifetimes: Lifetimes): AuthorizationWalk => ({
  lifetimes,
  ...defineWalk<Terms>({
    name: 'authorizations',
    of: 'codes, refresh tokens and grants',
    machines: ['authorizationCode', 'refreshToken', 'grant'],
    spec: 'OAuth 2.1 §4.3.1',
    // Many presentations with one fault, fewer with two. A violation needs few: no mutant of the suite
    // (test/unit/review) needs more than these.
    bounds: [
      { requests: 4, inFlight: 3, faults: 1 },
      { requests: 3, inFlight: 2, faults: 2 },
    ],
    initialStates: [
      initialState('The end-user approves; the code is on its way to the client', approved(lifetimes), {
        tokens: [],
        spent: [],
        ended: false,
      }),
    ],
    load: (stored, asked, now) => loadPresentation(stored, clientOf(asked), now),
    commit: (stored, commit, now) => commitGrant(stored, commit, now),
    requests: ({ known }) => credentialsOf(known).map((credential) => presentedRightly(known, credential)),
    disturbingRequests: () => [REVOCATION],
    asking: askingUnder(lifetimes),
    isWorth: (answer) => typeof answer === 'object' && answer.kind === 'issued',
    whenCommitted,
    whenAnswered,
    faults: ({ stored }) => endings<Terms>(stored, (change) => ({ ...stored, ...change }), 'grants'),
    instants: (modelState) => endsOf(lifetimes, modelState),
    backups: {
      of: ({ spent, ended }: Known) => ({ spent, ended }),
      // Not recovered, the store has lost the commits after the backup, and with them the uses. The server promises nothing about
      // those, only that later requests keep to the rules.
      restored: ({ stored: { serverEpoch }, known: { tokens } }, backup, recovered) => {
        const { stored } = backup;
        const known = { tokens, ...(backup.known as Omit<Known, 'tokens'>) };
        return recovered
          ? { stored: { ...stored, serverEpoch: serverEpoch + 1n }, known: { ...known, ended: true } }
          : { stored, known };
      },
    },
    invariants: INVARIANTS,
    words: {
      commit: ({ kind }) => (kind === 'moveHead' ? 'tokens are issued' : 'the chain is revoked'),
      commitNoun: ({ kind }) => (kind === 'moveHead' ? 'tokens' : 'revocation'),
      answer: (answer) => {
        if (typeof answer === 'boolean') return null;
        return answer.kind === 'rejected' ? answer.reason : `refresh token of generation ${answer.issued.generation}`;
      },
      since: [BEGAN_AT, 'the approval'],
      sender: 'the holder',
    },
  }),
});

const clientOf = (asked: Asked) =>
  asked.kind !== 'revocation' && asked.said.clientId === OTHER_CLIENT.clientId ? OTHER_CLIENT : CLIENT;

function whenCommitted(known: Known, { credential }: Asked, commit: GrantCommit, { grant }: Authorization): Known {
  const spent = commit.kind === 'moveHead' && credential !== null ? [...known.spent, credential] : known.spent;
  return { ...known, spent, ended: known.ended || grant.state === 'revoked' };
}

function whenAnswered(known: Known, { credential }: Asked, answer: Terms['answer']): Known {
  // A requester that receives the answer that it has ended relies on it.
  if (typeof answer === 'boolean' || credential === null) return { ...known, ended: true };
  if (answer.kind === 'issued') return { ...known, tokens: [...known.tokens, answer.issued] };
  // A used credential was presented again and rejected, which ended the chain: from now on it yields nothing.
  return known.spent.includes(credential) ? { ...known, ended: true } : known;
}

function endsOf(lifetimes: Lifetimes, { stored: { grant } }: ModelState<Terms>): number[] {
  const { codeEndsAt, chainEndsAt, createdAt, lastUsedAt } = grant;
  return [
    codeEndsAt.getTime(),
    ...(chainEndsAt ? [chainEndsAt.getTime()] : []),
    ...(lastUsedAt ? [lastUsedAt.getTime() + lifetimes.refreshIdleLifetimeSeconds * 1000] : []),
    createdAt.getTime() + lifetimes.refreshAbsoluteLifetimeSeconds * 1000,
  ];
}
