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
import { askingUnder, credentialsOf, presentedRightly, presentedWithoutKey, REVOCATION } from './requests.ts';

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
    requests: ({ known }) => [
      ...credentialsOf(known).map((credential) => presentedRightly(known, credential)),
      // Without a retry, a used token ends the chain with its key and without it (probes.ts).
      ...(lifetimes.provenRetrySeconds === undefined ? [] : presentedWithoutKey(known)),
    ],
    disturbingRequests: () => [REVOCATION],
    asking: askingUnder(lifetimes),
    isWorth: (answer) => typeof answer === 'object' && answer.kind === 'issued',
    whenCommitted,
    whenAnswered: (known, asked, answer) => whenAnswered(lifetimes, known, asked, answer),
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
      commit: ({ kind }) => WORDS[kind][0],
      commitNoun: ({ kind }) => WORDS[kind][1],
      answer: (answer) => {
        if (typeof answer === 'boolean') return null;
        return answer.kind === 'rejected' ? answer.reason : `refresh token of generation ${answer.issued.generation}`;
      },
      since: [BEGAN_AT, 'the approval'],
      sender: 'the holder',
    },
  }),
});

/** Of a commit: its sentence, and its noun. */
const WORDS = {
  moveHead: ['tokens are issued', 'tokens'],
  repeatHead: ['the head is answered again', 'the same tokens'],
  revoke: ['the chain is revoked', 'revocation'],
} as const;

/** Under a policy with a retry: the client, in several processes, and thieves with its key and without it. */
export const provenRetries: AuthorizationWalk = {
  ...authorizations({
    name: 'with a retry',
    accessTokenLifetimeSeconds: 900,
    authorizationCodeLifetimeSeconds: 60,
    refreshIdleLifetimeSeconds: 30 * 86_400,
    refreshAbsoluteLifetimeSeconds: 45 * 86_400,
    provenRetrySeconds: 60,
  }),
  name: 'proven-retries',
  of: 'proven retries of refresh tokens',
  // A stale token needs four requests: the code, two rotations, and the older token.
  bounds: [
    { requests: 4, inFlight: 2, faults: 1 },
    { requests: 3, inFlight: 2, faults: 2 },
  ],
};

const clientOf = (asked: Asked) =>
  asked.kind !== 'revocation' && asked.said.clientId === OTHER_CLIENT.clientId ? OTHER_CLIENT : CLIENT;

function whenCommitted(known: Known, { credential }: Asked, commit: GrantCommit, { grant }: Authorization): Known {
  const spent = commit.kind === 'moveHead' && credential !== null ? [...known.spent, credential] : known.spent;
  return { ...known, spent, ended: known.ended || grant.state === 'revoked' };
}

function whenAnswered({ provenRetrySeconds }: Lifetimes, known: Known, asked: Asked, answer: Terms['answer']): Known {
  const { credential } = asked;
  // A requester that receives the answer that it has ended relies on it.
  if (typeof answer === 'boolean' || credential === null) return { ...known, ended: true };
  if (answer.kind === 'issued') {
    const { issued } = answer;
    // A retry answers with the token of before.
    const isKnown = known.tokens.some((one) => one.generation === issued.generation && one.nonce === issued.nonce);
    return isKnown ? known : { ...known, tokens: [...known.tokens, issued] };
  }
  if (asked.kind === 'token' && provenRetrySeconds !== undefined) {
    // With its key, nothing ends. Without it, the head stays, and may have been used meanwhile.
    return answer.reason === 'refresh_token_reused' ? { ...known, ended: true } : known;
  }
  // A used credential was presented again and rejected, which ended the chain: from now on it yields nothing.
  return known.spent.includes(credential) ? { ...known, ended: true } : known;
}

function endsOf(lifetimes: Lifetimes, { stored: { grant } }: ModelState<Terms>): number[] {
  const { codeEndsAt, chainEndsAt, createdAt, lastUsedAt } = grant;
  const { provenRetrySeconds: retrySeconds } = lifetimes;
  return [
    codeEndsAt.getTime(),
    ...(chainEndsAt ? [chainEndsAt.getTime()] : []),
    ...(lastUsedAt ? [lastUsedAt.getTime() + lifetimes.refreshIdleLifetimeSeconds * 1000] : []),
    ...(lastUsedAt && retrySeconds !== undefined ? [lastUsedAt.getTime() + retrySeconds * 1000] : []),
    createdAt.getTime() + lifetimes.refreshAbsoluteLifetimeSeconds * 1000,
  ];
}
