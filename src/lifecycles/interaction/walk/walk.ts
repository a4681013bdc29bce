/**
 * The walk of signing in and consenting: one interaction in one browser, its sessions, and the grant that it makes. Requests that
 * were admitted with a session continue with it, however late they load the interaction.
 */

import { secondFactorDueAt, sessionEndsAt, sessionIdleEndsAt } from '../../../model/session.ts';
import {
  authenticationClassOf,
  BY_CODE,
  BY_PASSWORD,
  levelOf,
  methodsOf,
} from '../../../oauth/authentication-methods.ts';
import { askingFor, defineWalk } from '../../../review/proof/define-walk.ts';
import { BEGAN_AT } from '../../../review/proof/instants.ts';
import type { ModelState } from '../../../review/proof/moment.ts';
import { endings } from '../../../review/proof/owners.ts';
import type { Action } from '../../../review/proof/walk.ts';
import {
  type AddedFactor,
  begunState,
  SINGLE_FACTOR,
  sessionEndRequest,
  sessionFactorRequest,
  sessionUseRequest,
} from '../../session/lifecycle.ts';
import { newSession, SESSION_LIFETIMES, USER } from '../../session/walk/stored-session.ts';
import { type InteractionPolicy, interactionRequest } from '../lifecycle.ts';
import { INVARIANTS } from './invariants.ts';
import {
  type Asked,
  commitSignIn,
  type InteractionEventType,
  loadInteraction,
  ownersOf,
  type SessionEventType,
  type SignIn,
  sessionAsLoaded,
  type Terms,
  withOwners,
} from './ports.ts';
import { requestsAt, sessionNow } from './requests.ts';
import { CODE_LIFETIMES, grantableIn, INITIAL_STATES, OTHER_USER, OWN_CLIENT } from './situations.ts';

const POLICY: InteractionPolicy = {
  makeCode: (grantId) => ({ code: `code of ${grantId}`, secretHash: new Uint8Array(32) }),
  remakeCode: (grantId) => `code of ${grantId}`,
  lifetimesOf: () => CODE_LIFETIMES,
  sessionEndsAt: (session) =>
    Math.min(sessionEndsAt(session, SESSION_LIFETIMES), sessionIdleEndsAt(session, SESSION_LIFETIMES)),
  isStillRegistered: (client, { redirectUri }) => client.redirectUris.includes(redirectUri),
  grantableBy: (_, interaction) => grantableIn(interaction),
  levelOf: ({ amr }) => levelOf(authenticationClassOf(amr)),
  requiredLevelOf: ({ requiredClass }) => levelOf(requiredClass),
};

/** The session after an additional factor; the cookie is new each time. */
const addedBy = (draw: number, amr: readonly string[] = BY_PASSWORD): AddedFactor => ({
  factor: { kind: 'secondFactor', id: 'the app' },
  amr: methodsOf(amr, BY_CODE),
  idHash: new Uint8Array(32).fill(100 + draw),
});

function sessionRequest(event: SessionEventType, draw: number) {
  if (event === 'used') return sessionUseRequest(SESSION_LIFETIMES);
  if (event === 'factorAdded') return sessionFactorRequest(SESSION_LIFETIMES, addedBy(draw));
  return sessionEndRequest(SESSION_LIFETIMES, event);
}

const INTERACTION_NAMES: Readonly<Record<InteractionEventType, string>> = {
  requested: 'the authorization request',
  viewed: 'the view of the page',
  switchRequested: 'the wish to sign in as another',
  signedIn: 'the sign-in',
  accountChosen: 'the choice of the account',
  factorAdded: 'the additional factor, to continue with',
  factorDeclined: 'the refusal of an additional factor',
  consented: 'the consent',
  refused: 'the refusal',
};
const SESSION_NAMES: Readonly<Record<SessionEventType, string>> = {
  used: 'the use of the session',
  factorAdded: 'a further factor',
  signOutRequested: 'the sign-out',
  endRequested: 'the end of the session from the list',
  endRequestedByAdministrator: 'the end of the session by an administrator',
  signedInAgain: 'the end of the session that is replaced',
};

const PAGES = {
  signIn: 'the sign-in page',
  signUp: 'the sign-up page',
  factor: 'the page of the second factor',
  consent: 'the consent page',
  awaitsFactor: 'the second factor is missing',
  admitted: 'admitted',
  approved: 'code',
};
const COMMITS = {
  approve: 'the interaction is approved, and a grant and its code exist',
  recordUse: 'the use is written down',
  spend: 'the pushed request is answered',
  end: 'the session has ended',
  addFactor: 'the session has an additional factor, and another cookie',
};

function withWhich({ session }: Extract<Asked, { kind: 'interaction' }>): string {
  if (session === null) return 'without a session';
  return `with a session of the ${session.userId === USER ? '' : 'other '}end-user`;
}

export const signIns = defineWalk<Terms>({
  name: 'signIns',
  of: 'signing in and consenting',
  machines: ['interaction', 'session'],
  spec: 'OpenID Connect Core §3.1.2.3',
  bounds: [
    { requests: 2, inFlight: 2, faults: 1 },
    { requests: 3, inFlight: 2, faults: 0 },
    { requests: 1, inFlight: 1, faults: 2 },
  ],
  initialStates: INITIAL_STATES,
  load: (stored, asked, now, again) => {
    if (asked.kind === 'interaction') {
      const session = again ? sessionNow(stored, asked.session, now.getTime()) : asked.session;
      return { ...loadInteraction(stored, asked.session?.userId ?? null, now), session, factorIsAwaited: false };
    }
    const session = stored.sessions.find(({ sid }) => sid === asked.sid);
    if (!session) throw new Error(`There is no session ${asked.sid}.`);
    return { now, session: sessionAsLoaded(stored, session) };
  },
  commit: (stored, commit, now) => commitSignIn(stored, commit, now),
  requests: requestsAt,
  asking: askingFor<Terms>({
    interaction: {
      name: ({ event }) => INTERACTION_NAMES[event],
      from: (asked) => `The browser sends, ${withWhich(asked)},`,
      request: ({ event }) => interactionRequest(POLICY, event),
    },
    session: {
      name: ({ event }) => SESSION_NAMES[event],
      from: 'The browser sends',
      request: ({ event }, draw) => sessionRequest(event, draw),
    },
  }),
  // Between the load of the session and that of the interaction, anything may happen.
  loadsLater: (asked) => asked.kind === 'interaction' && asked.session !== null,
  isWorth: (answer) => typeof answer === 'object' && answer.kind === 'approved',
  whenCommitted: (known, _, commit) =>
    commit.kind === 'move' && commit.move.to === 'awaitingConsent' && commit.move.userId !== null
      ? { ...known, askedForConsent: [...new Set([...known.askedForConsent, commit.move.userId])] }
      : known,
  // After the answer that it has ended, by this request or before, its owner relies on it.
  whenAnswered: (known, asked, answer) =>
    asked.kind === 'session' && asked.event !== 'used' && typeof answer === 'boolean'
      ? { ...known, ended: [...new Set([...known.ended, asked.sid])] }
      : known,
  actions: (modelState) => [USER, OTHER_USER].flatMap((userId) => signInAs(modelState, userId)),
  faults: ({ stored, now }) => [
    ...endings<Terms>(
      ownersOf(stored, USER),
      (change) => withOwners(stored, change, new Date(now)),
      'grants and sessions',
    ),
    ...otherChanges(stored),
  ],
  instants: endsOf,
  invariants: INVARIANTS,
  words: {
    commit: (commit) => (commit.kind === 'move' ? `the interaction is ${commit.move.to}` : COMMITS[commit.kind]),
    commitNoun: ({ kind }) => kind,
    answer: (answer) => {
      if (typeof answer === 'boolean') return answer ? 'ended' : 'it had ended before';
      if (answer.kind === 'denied') return answer.error;
      return answer.kind === 'rejected' ? answer.reason : PAGES[answer.kind];
    },
    since: [BEGAN_AT, 'the authorization request'],
    sender: 'the browser',
  },
});

/** Username and password are right; the session that was there before ends first, and its end is waited for. */
function signInAs({ stored, now }: ModelState<Terms>, userId: string): Action<Terms>[] {
  const { user } = ownersOf(stored, userId);
  const [older] = stored.sessions.slice(1);
  if (user.isDisabled || older) return [];
  const at = new Date(now);
  const ended = stored.sessions.map((session) =>
    session.state === 'ended'
      ? session
      : { ...session, state: 'ended' as const, endedReason: 'signed_in_again' as const, endsAt: at },
  );
  const epochs = { userEpoch: user.epoch, serverEpoch: stored.serverEpoch };
  const fresh = newSession(stored.sessions.length + 1, at, userId, epochs);
  const isFactorDemanded = stored.demandsFactor || stored.interaction.requiredClass !== null;
  const signIn = { ...SINGLE_FACTOR, isFactorDemanded };
  const state = begunState(sessionAsLoaded(stored, fresh), SESSION_LIFETIMES, signIn);
  const session = { ...fresh, state };
  return [
    {
      says: `The ${userId === USER ? 'end-user' : 'other end-user'} signs in, in the same browser.`,
      stored: { ...stored, sessions: [...ended, session] },
    },
  ];
}

function endsOf({ stored: { interaction, sessions, grants } }: ModelState<Terms>): number[] {
  return [
    interaction.endsAt.getTime(),
    ...sessions
      .filter(({ state }) => state !== 'ended')
      .flatMap((session) => {
        const loaded = { ...session, liveUserEpoch: null, liveServerEpoch: 0n };
        if (session.state === 'awaitingSecondFactor') return [secondFactorDueAt(loaded)];
        return [sessionEndsAt(loaded, SESSION_LIFETIMES), sessionIdleEndsAt(loaded, SESSION_LIFETIMES)];
      }),
    ...grants.map(({ codeEndsAt }) => codeEndsAt.getTime()),
  ];
}

/** The other changes of the rows that an approval depends on. */
function otherChanges(stored: SignIn): readonly Action<Terms>[] {
  const { client } = stored;
  const isRegistered = client.redirectUris.length > 0;
  return [
    ...(stored.pushed?.state === 'pushed'
      ? [
          {
            says: 'Another tab got an error, which answers the pushed request.',
            stored: { ...stored, pushed: { ...stored.pushed, state: 'used', sealed: '' } as const },
          },
        ]
      : []),
    {
      says: isRegistered
        ? 'The client is no longer registered for the redirect URI.'
        : 'The client is registered for the redirect URI again.',
      stored: {
        ...stored,
        client: { ...client, redirectUris: isRegistered ? [] : [stored.interaction.redirectUri] },
      },
    },
    ...(OWN_CLIENT.clientName === client.clientName
      ? [
          {
            says:
              client.consent === 'skip'
                ? 'The client is no longer registered as the team’s own.'
                : 'The client is registered as the team’s own again.',
            stored: { ...stored, client: { ...client, consent: client.consent === 'skip' ? 'ask' : 'skip' } as const },
          },
        ]
      : []),
    {
      says: 'The end-user ends the access of the client, at /permissions.',
      stored: {
        ...stored,
        consents: stored.consents.filter(({ userId }) => userId !== USER),
        grants: stored.grants.map((grant) =>
          grant.userId === USER && grant.state === 'active'
            ? { ...grant, state: 'revoked' as const, revokedReason: 'revocation_requested' }
            : grant,
        ),
      },
    },
    ...(stored.grants.some(({ state, refreshGeneration }) => state === 'active' && refreshGeneration === null)
      ? [
          {
            says: 'The client exchanges the code.',
            stored: { ...stored, grants: stored.grants.map((grant) => ({ ...grant, refreshGeneration: 0n })) },
          },
        ]
      : []),
  ];
}
