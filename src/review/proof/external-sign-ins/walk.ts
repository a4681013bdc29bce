/** The walk of sign-ins at other places: answers, browsers and thieves, while an end-user is disabled and time passes. */
import { running } from '../../../engine/run.ts';
import { externalSignInRequest } from '../../../lifecycles/external-sign-in/lifecycle.ts';
import { identityRemovalRequest } from '../../../lifecycles/linked-identity/lifecycle.ts';
import type { Bytes } from '../../../model/grant.ts';
import type { Bounds, EngineRequest, Walk } from '../walk.ts';
import { ANOTHER_BROWSER, BEGAN_AT, INITIAL_STATES, ITS_BROWSER, NAMESAKE } from './initial-states.ts';
import { INVARIANTS } from './invariants.ts';
import { requestsAt } from './requests.ts';
import { commitExternal, idsFor, load, PROVIDER, THERE, USERNAMES } from './store.ts';
import type { Asked, Stored, Terms } from './terms.ts';
import { WORDS } from './words.ts';

const BOUNDS: readonly Bounds[] = [
  { requests: 4, inFlight: 2, faults: 0 },
  { requests: 3, inFlight: 2, faults: 1 },
];

export const externalSignIns: Walk<Terms> = {
  name: 'external-sign-ins',
  of: 'sign-ins at other places',
  machines: ['externalSignIn', 'linkedIdentity'],
  bounds: BOUNDS,
  initialStates: INITIAL_STATES,
  running,
  machineOf: (machine) => machine,
  load,
  requestOf,
  commit: (stored, commit, _, leftOut) => commitExternal(stored, commit, leftOut),
  requests: ({ stored }) => requestsAt(stored),
  whenCommitted: (known) => known,
  whenAnswered: ({ signedIn }, asked, answer) => {
    if (asked.about !== 'signIn' || answer?.kind !== 'done' || !('row' in answer)) return { signedIn };
    const { signIn, user } = answer.row;
    return signIn.state === 'used' && user !== null
      ? { signedIn: [...signedIn, { id: signIn.id, userId: user.id }] }
      : { signedIn };
  },
  faults: ({ stored }) => [
    ...stored.users
      .filter(({ disabledAt }) => disabledAt === null)
      .map(({ id }) => ({ says: `An administrator disables ${id}.`, stored: disabled(stored, id) })),
    ...(stored.users.some(({ username }) => username === NAMESAKE.username)
      ? []
      : [
          {
            says: `An administrator registers somebody called ${NAMESAKE.username}.`,
            stored: { ...stored, users: [...stored.users, NAMESAKE] },
          },
        ]),
  ],
  instants: ({ stored }) => stored.signIns.map(({ endsAt }) => endsAt.getTime()),
  invariants: INVARIANTS,
  words: WORDS,
};

const disabled = (stored: Stored, userId: string): Stored => ({
  ...stored,
  users: stored.users.map((user) =>
    user.id === userId ? { ...user, disabledAt: new Date(BEGAN_AT), epoch: user.epoch + 1n } : user,
  ),
});

const BROWSERS = { its: ITS_BROWSER, another: ANOTHER_BROWSER, none: 'none' } as const;
const sameBytes = (one: Bytes, other: Bytes) => one === other;

function requestOf(asked: Asked): EngineRequest<Terms> {
  if (asked.about === 'identity') return identityRemovalRequest(asked.type) as unknown as EngineRequest<Terms>;
  const { id, type, browser, isAdmitted, registers } = asked;
  const isDelegated = browser === 'none';
  const theirs = { amr: ['pwd'], authenticatedAt: new Date(BEGAN_AT) };
  return externalSignInRequest({
    type,
    isAdmitted,
    browser: BROWSERS[browser],
    ids: idsFor(id),
    sameBytes,
    actor: { kind: 'upstream', id: PROVIDER, addressHash: null },
    ...(type === 'refusalReceived' && { refusal: 'access_denied', namesNobody: true }),
    ...(type === 'answerReceived' && (isDelegated ? { theirs } : { namesNobody: true })),
    ...(type === 'browserReturned' && upstreamOnly(theirs)),
  }) as unknown as EngineRequest<Terms>;

  function upstreamOnly(said: typeof theirs) {
    return isUpstream(id)
      ? {
          identity: { ...THERE, provider: PROVIDER },
          theirs: said,
          newcomer: registers ? { usernames: USERNAMES, claims: {} } : null,
        }
      : {};
  }
}

/** As the initial states name them. */
const isUpstream = (id: string): boolean => !id.startsWith('delegated');
