/**
 * The walk of signing in and consenting: one interaction in one browser, its sessions, and the grant that it makes. Requests that
 * were admitted with a session go on with it however late they load the interaction.
 */
import { effectOf } from '../../../engine/decide.ts';
import { running } from '../../../engine/run.ts';
import { stepOf } from '../../../engine/step.ts';
import { type InteractionWays, interactionRequest } from '../../../lifecycles/interaction/lifecycle.ts';
import {
  type AddedFactor,
  begunState,
  SINGLE_FACTOR,
  sessionEndRequest,
  sessionFactorRequest,
  sessionLifecycle,
  sessionUseRequest,
} from '../../../lifecycles/session/lifecycle.ts';
import {
  type Session,
  secondFactorDueAt,
  sessionEndsAt,
  sessionIdleEndsAt,
  sessionState,
} from '../../../model/session.ts';
import {
  authenticationClassOf,
  BY_CODE,
  BY_PASSWORD,
  levelOf,
  methodsOf,
} from '../../../oauth/authentication-methods.ts';
import type { Moment } from '../moment.ts';
import type { Action, Bounds, EngineRequest, Walk } from '../walk.ts';
import {
  BEGAN_AT,
  CODE_LIFETIMES,
  grantableIn,
  INITIAL_STATES,
  newSession,
  OTHER_USER,
  SESSION_LIFETIMES,
  USER,
} from './initial-states.ts';
import { INVARIANTS } from './invariants.ts';
import { commitSignIn, loadInteraction, type SignIn, sessionAsLoaded, userOf } from './store.ts';
import type { Asked, Ending, InteractionEventType, SessionEventType, Terms } from './terms.ts';
import { WORDS } from './words.ts';

const BOUNDS: readonly Bounds[] = [
  { requests: 2, inFlight: 2, faults: 1 },
  { requests: 3, inFlight: 2, faults: 0 },
  { requests: 1, inFlight: 1, faults: 2 },
];

export const signIns: Walk<Terms> = {
  name: 'signIns',
  of: 'signing in and consenting',
  machines: ['interaction', 'session'],
  bounds: BOUNDS,
  initialStates: INITIAL_STATES,
  running,
  machineOf: (machine) => machine,
  load: (stored, asked, now, again) => {
    if (asked.kind === 'interaction') {
      const session = again ? sessionNow(stored, asked.session, now.getTime()) : asked.session;
      return { ...loadInteraction(stored, asked.session?.userId ?? null, now), session, factorIsAwaited: false };
    }
    const session = stored.sessions.find(({ sid }) => sid === asked.sid);
    if (!session) throw new Error(`There is no session ${asked.sid}.`);
    return { now, session: sessionAsLoaded(stored, session) };
  },
  requestOf,
  commit: (stored, commit, now) => commitSignIn(stored, commit, now),
  requests,
  // Between the load of the session and that of the interaction, anything may happen.
  loadsLater: (asked) => asked.kind === 'interaction' && asked.session !== null,
  isWorth: (answer) => typeof answer === 'object' && answer.kind === 'approved',
  whenCommitted: (known, _, commit) =>
    commit.kind === 'move' && commit.move.to === 'awaitingConsent' && commit.move.userId !== null
      ? { ...known, askedForConsent: [...new Set([...known.askedForConsent, commit.move.userId])] }
      : known,
  // Told that it has ended, by this request or before, its owner relies on it.
  whenAnswered: (known, asked, answer) =>
    asked.kind === 'session' && asked.event !== 'used' && typeof answer === 'boolean'
      ? { ...known, ended: [...new Set([...known.ended, asked.sid])] }
      : known,
  actions: (moment) => [USER, OTHER_USER].flatMap((userId) => signInAs(moment, userId)),
  faults: ({ stored, now }) => endings(stored, now),
  instants: endsOf,
  invariants: INVARIANTS,
  words: WORDS,
};

const WAYS: InteractionWays = {
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

/** What a further factor makes of the session; the cookie is new each time. */
const addedBy = (draw: number, amr: readonly string[] = BY_PASSWORD): AddedFactor => ({
  factor: { kind: 'secondFactor', id: 'the app' },
  amr: methodsOf(amr, BY_CODE),
  idHash: new Uint8Array(32).fill(100 + draw),
});

function requestOf(asked: Asked, draw: number): EngineRequest<Terms> {
  if (asked.kind === 'interaction') {
    return interactionRequest(WAYS, asked.event, `grant ${draw}`) as unknown as EngineRequest<Terms>;
  }
  return sessionRequest(asked.event, draw) as unknown as EngineRequest<Terms>;
}

function sessionRequest(event: SessionEventType, draw: number) {
  if (event === 'used') return sessionUseRequest(SESSION_LIFETIMES);
  if (event === 'factorAdded') return sessionFactorRequest(SESSION_LIFETIMES, addedBy(draw));
  return sessionEndRequest(SESSION_LIFETIMES, event);
}

/** What a browser sends that can change something; what only looks is asked at every moment (invariants.ts). */
const CHANGING: readonly InteractionEventType[] = [
  'accountChosen',
  'factorAdded',
  'factorDeclined',
  'consented',
  'refused',
];

function requests({ stored, now, draws }: Moment<Terms>): readonly Asked[] {
  const row = stored.sessions.at(-1);
  // The interaction is asked about once when it begins; the page that follows sends everything else.
  const isFirst = draws === 0 && stored.interaction.state === 'awaitingSignIn';
  const ofInteraction = (event: InteractionEventType, session: Session | null): Asked => ({
    kind: 'interaction',
    event,
    session,
  });
  if (!row) return isFirst ? [ofInteraction('requested', null)] : [];
  const ofSession = (event: Extract<Asked, { kind: 'session' }>['event']): Asked => ({
    kind: 'session',
    event,
    sid: row.sid,
  });
  const session = sessionAsLoaded(stored, row);
  const use = useOf(session, now);
  // It awaits a second factor: the browser is not signed in, and proves that factor or goes.
  if (use === 'rejected' && row.state === 'awaitingSecondFactor' && sessionState(session) !== 'ended')
    return [
      ...(isFirst ? [ofInteraction('requested', null)] : []),
      ofSession('factorAdded'),
      ofSession('signOutRequested'),
    ];
  if (use !== 'admitted')
    return use === 'due' ? [ofSession('used')] : isFirst ? [ofInteraction('requested', null)] : [];
  const isSilent = stored.interaction.prompt.includes('none');
  const isFresh = row.signedInAt.getTime() >= BEGAN_AT;
  return [
    ...(isFirst ? [ofInteraction('requested', session)] : []),
    ...(isSilent ? [] : CHANGING.map((event) => ofInteraction(event, session))),
    ...(isFresh && !isSilent ? [ofInteraction('signedIn', session)] : []),
    // A client that wants two factors leads to it.
    ...(stored.interaction.requiredClass === null ? [] : [ofSession('factorAdded')]),
    ofSession('signOutRequested'),
  ];
}

/** As its machine says that the browser is signed in. A use that changes the row is written down first, by a request of its own. */
function useOf(session: Session, now: number): 'admitted' | 'due' | 'rejected' {
  const { before, after, isAdmitted } = usedAt(session, now);
  if (after !== before) return 'due';
  return isAdmitted ? 'admitted' : 'rejected';
}

/** The session that a request was admitted with, as it is by now; null: it has ended. */
function sessionNow(stored: SignIn, admitted: Session | null, now: number): Session | null {
  const row = stored.sessions.find(({ sid }) => sid === admitted?.sid);
  if (!row) return null;
  const { after, isAdmitted } = usedAt(sessionAsLoaded(stored, row), now);
  return isAdmitted ? after : null;
}

function usedAt(session: Session, now: number) {
  const facts = { now: new Date(now), lifetimes: SESSION_LIFETIMES };
  const step = stepOf(sessionLifecycle, session, facts, { type: 'used', now } as never);
  return { ...step, isAdmitted: step.decisions.some((decision) => effectOf(decision, 'admit')) };
}

/** Username and password are right; the session that was there before ends first, and its end is waited for. */
function signInAs({ stored, now }: Moment<Terms>, userId: string): Action<Terms>[] {
  const user = userOf(stored, userId);
  const [older] = stored.sessions.slice(1);
  if (!user || user.isDisabled || older) return [];
  const at = new Date(now);
  const ended = stored.sessions.map((session) =>
    session.state === 'ended'
      ? session
      : { ...session, state: 'ended' as const, endedReason: 'signed_in_again' as const, endsAt: at },
  );
  const epochs = { userEpoch: user.epoch, serverEpoch: stored.serverEpoch };
  const fresh = newSession(stored.sessions.length + 1, userId, at, epochs);
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

function endsOf({ stored: { interaction, sessions, grants } }: Moment<Terms>): number[] {
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

function endings(stored: SignIn, now: number): readonly Ending[] {
  const { client, serverEpoch } = stored;
  const user = userOf(stored, USER);
  if (!user) return [];
  const withUser = (change: Partial<typeof user>): SignIn => ({
    ...stored,
    users: stored.users.map((one) => (one.id === USER ? { ...one, ...change } : one)),
  });
  const raised = user.epoch + 1n;
  const isRegistered = client.redirectUris.length > 0;
  return [
    user.isDisabled
      ? { says: 'The end-user is enabled again.', stored: withUser({ isDisabled: false }) }
      : {
          says: 'The end-user is disabled.',
          event: 'userDisabled',
          stored: withUser({ epoch: raised, isDisabled: true }),
        },
    { says: 'The end-user gets a new password.', event: 'passwordChanged', stored: withUser({ epoch: raised }) },
    client.deletedAt === null
      ? {
          says: 'The client is deleted.',
          event: 'clientDeleted',
          stored: { ...stored, client: { ...client, epoch: client.epoch + 1n, deletedAt: new Date(now) } },
        }
      : {
          says: 'The client is registered again under the same id.',
          stored: { ...stored, client: { ...client, deletedAt: null } },
        },
    {
      says: isRegistered
        ? 'The client is no longer registered for the redirect URI.'
        : 'The client is registered for the redirect URI again.',
      stored: {
        ...stored,
        client: { ...client, redirectUris: isRegistered ? [] : [stored.interaction.redirectUri] },
      },
    },
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
    {
      says: 'The operator ends all grants and sessions (statehouse recover).',
      event: 'serverRecovered',
      stored: { ...stored, serverEpoch: serverEpoch + 1n },
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
