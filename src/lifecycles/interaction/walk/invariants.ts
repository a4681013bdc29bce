/** The invariants of sign-in and consent: for each, a sentence and the violations. */
import { grantState, sameBytes } from '../../../model/grant.ts';
import {
  type Session,
  secondFactorDueAt,
  sessionEndsAt,
  sessionIdleEndsAt,
  sessionState,
} from '../../../model/session.ts';
import { authenticationClassOf } from '../../../oauth/authentication-methods.ts';
import type { DefinedInvariant } from '../../../review/proof/define-walk.ts';
import { BEGAN_AT } from '../../../review/proof/instants.ts';
import { armMissing, everythingIsAnswered, staysEnded } from '../../../review/proof/invariants.ts';
import { numberOf } from '../../../review/proof/keys.ts';
import type { ModelState, Move } from '../../../review/proof/moment.ts';
import { runAlone, storedAfter } from '../../../review/proof/moves.ts';
import { type Ending, liveEpochs } from '../../../review/proof/owners.ts';
import type { Walk } from '../../../review/proof/walk.ts';
import { sessionLifecycle } from '../../session/lifecycle.ts';
import { SESSION_LIFETIMES, type StoredSession } from '../../session/walk/stored-session.ts';
import { type Approval, interactionLifecycle } from '../lifecycle.ts';
import {
  type Asked,
  type InteractionEventType,
  ownersOf,
  type SessionEventType,
  type SignIn,
  sessionAsLoaded,
  type Terms,
} from './ports.ts';
import { ofInteraction, ofSession } from './requests.ts';
import { ADMINISTRATION, grantableIn } from './situations.ts';

type Ports = ModelState<Terms>;

const INTERACTION = ['interaction'];
const SESSION = ['session'];
const SESSIONS_STAY_ENDED = staysEnded<Terms, StoredSession>({
  rows: ({ sessions }) => sessions,
  nameOf: ({ sid }) => sid,
  hasEnded: ({ state }) => state === 'ended',
  fact: numberOf,
});
const ANSWERED = everythingIsAnswered<Terms>(({ stored }) => everythingAskedAt(stored));

export const INVARIANTS: readonly DefinedInvariant<Terms>[] = [
  {
    name: 'no-code-without-consent',
    says: 'No code without a consent of this user, given now or remembered for that scope and those resources; a client of the team needs none.',
    spec: 'RFC 6749 §10.2, OpenID Connect Core §3.1.2.4, §11',
    machines: INTERACTION,
    violation: (_, { stored, known }, { commit, after }) => {
      const approval = approvalIn(commit);
      if (!approval || commit?.asked.kind !== 'interaction') return null;
      const { interaction } = stored;
      const { userId } = approval.session;
      if (commit.asked.event === 'consented') {
        const isRemembered = numberOf(after.stored.consents) !== numberOf(stored.consents);
        if (isRemembered && !isAssured(stored)) return 'the consent to a client that any could pose as was remembered';
        if (isAssured(stored) && !allowedBefore(after.stored, userId)) return 'a consent was not remembered';
        const wasAsked = interaction.state === 'awaitingConsent' && known.askedForConsent.includes(userId);
        return wasAsked ? null : 'a code was issued for a consent that the end-user was not asked for';
      }
      if (mayRelyOnRegistration(stored)) return null;
      if (!mayRelyOnConsent(stored)) return 'a code was issued without asking, where the end-user has to be asked';
      return allowedBefore(stored, userId) ? null : 'a code was issued for more than the end-user had allowed';
    },
  },
  {
    name: 'changed-user-never-approves',
    says: 'A user who changed in between never answers: not another than was asked, nor another than the client named.',
    spec: 'RFC 6749 §10.12, OpenID Connect Core §3.1.2.1',
    machines: INTERACTION,
    violation: (_, { stored: { interaction } }, { commit }) => {
      if (commit?.asked.kind !== 'interaction') return null;
      const { event, session } = commit.asked;
      if (commit.held && event === 'refused' && session?.userId !== interaction.userId)
        return 'another end-user refused than the one who was asked';
      const approval = approvalIn(commit);
      if (!approval) return null;
      const { userId } = approval.session;
      if (commit.asked.event === 'consented' && userId !== interaction.userId)
        return 'another end-user consented than the one who was asked';
      if (interaction.hintedUserId !== null && userId !== interaction.hintedUserId)
        return 'a code was issued for another end-user than the client named';
      return null;
    },
  },
  {
    name: 'fresh-sign-in-where-wanted',
    says: 'Where the client wants a new or a recent sign-in, an older one yields no code; where it wants a chosen or a new account, nothing continues before.',
    spec: 'OpenID Connect Core §3.1.2.1',
    machines: INTERACTION,
    violation: (_, { stored: { interaction } }, { commit }) => {
      const approval = approvalIn(commit);
      const isRequest =
        commit?.held === true && commit.asked.kind === 'interaction' && commit.asked.event === 'requested';
      if (isRequest && interaction.state === 'awaitingSignIn' && interaction.prompt.includes('select_account'))
        return 'the end-user could not choose an account';
      if (isRequest && interaction.state === 'awaitingSignIn' && interaction.prompt.includes('create'))
        return 'the end-user could not create an account';
      const isWanted = interaction.prompt.includes('login') || interaction.maxAgeSeconds !== null;
      return approval && isWanted && approval.session.signedInAt.getTime() < BEGAN_AT
        ? 'a code was issued for a sign-in that was too old'
        : null;
    },
  },
  {
    name: 'administration-takes-a-role',
    says: 'No end-user grants a scope that takes a role which they do not have; a request for nothing else ends with access_denied, and without a code.',
    spec: 'RFC 6749 §3.3, §4.1.2.1',
    machines: INTERACTION,
    violation: (_, { stored }, { commit, after }) => {
      const approval = approvalIn(commit);
      if (!approval) return null;
      if (after.stored.grants.some(({ scope }) => scope.includes(ADMINISTRATION)))
        return 'the administration of this server was granted without a role';
      return grantableIn(stored.interaction).length > 0 ? null : 'a code was issued for nothing';
    },
    violationAt: (walk, ports) => {
      const session = sessionThatMayGoOn(ports);
      const { interaction } = ports.stored;
      if (!session || interaction.state !== 'awaitingSignIn' || grantableIn(interaction).length > 0) return null;
      if (wayOf(walk, ports, ofInteraction('requested', session)) !== 'denied')
        return 'a request that must fail is not answered immediately';
      const after = storedAfter(walk, ports, ofInteraction('accountChosen', session));
      return after?.interaction.state === 'denied' ? null : 'an end-user without the role can continue';
    },
  },
  {
    name: 'every-factor-that-is-demanded',
    says: 'No session without every factor that account and policy demand: nothing is approved from a sign-in with less.',
    spec: 'NIST SP 800-63B-4 §2.2',
    machines: ['session', 'interaction'],
    violation: (_, { stored, now }, { commit, after }) => {
      if (commit?.held === true && commit.commit.kind === 'addFactor') {
        const { sid } = commit.commit.loaded;
        const row = rowOf(stored, sid);
        if (row?.state === 'awaitingSecondFactor' && now >= secondFactorDueAt(sessionAsLoaded(stored, row)))
          return 'a factor was stored that came too late';
      }
      const approval = approvalIn(commit);
      if (approval && stored.demandsFactor && !hasFactor(approval.session))
        return 'a code was issued for a sign-in without the factor that is demanded';
      const weak = after.stored.sessions.find(
        (session) => session.state === 'active' && after.stored.demandsFactor && !hasFactor(session),
      );
      return weak ? `${weak.sid} is active without the factor that is demanded` : null;
    },
    violationAt: (walk, ports) => {
      const { stored, now } = ports;
      for (const { sid, state } of stored.sessions) {
        if (state !== 'awaitingSecondFactor') continue;
        if (wayOf(walk, ports, ofSession('used', sid)) === 'admitted')
          return `${sid} awaits a factor, and its browser is signed in`;
        const isAlive = !sessionIsOver(stored, sid, now);
        const way = wayOf(walk, ports, ofSession('factorAdded', sid));
        if (isAlive && way !== 'addFactor') return `a factor in time does not sign in: ${way}`;
        if (isAlive) continue;
        if (way === 'addFactor') return 'a factor that came too late signs in';
        const ends = storedAfter(walk, ports, ofSession('used', sid));
        if (stateOf(stored, sid) !== 'ended' && !(ends && rowOf(ends, sid)?.state === 'ended'))
          return `${sid} has waited too long, and lives on`;
      }
      return null;
    },
  },
  {
    name: 'no-approval-below-the-class',
    says: 'No approval is below the class of sign-in that client, resource or request demand; the server asks for the missing factor, or the client receives an error.',
    spec: 'RFC 9470 §5, OpenID Connect Core §3.1.2.1',
    machines: INTERACTION,
    violation: (_, { stored: { interaction } }, { commit }) => {
      const approval = approvalIn(commit);
      if (!approval || interaction.requiredClass === null) return null;
      return hasFactor(approval.session) ? null : 'a code was issued for a weaker sign-in than was demanded';
    },
    violationAt: (walk, ports) => {
      const session = sessionThatMayGoOn(ports);
      const { interaction } = ports.stored;
      if (!session || hasFactor(session) || interaction.requiredClass === null) return null;
      const isOpen = interaction.state === 'awaitingSignIn' || interaction.state === 'awaitingConsent';
      if (!isOpen || (interaction.state === 'awaitingConsent' && interaction.userId !== session.userId)) return null;
      const way = (event: InteractionEventType) => wayOf(walk, ports, ofInteraction(event, session));
      if (interaction.prompt.includes('none'))
        return way('requested') === 'denied' ? null : 'a silent request for more is not answered';
      if (way('viewed') !== 'factor') return `the page does not ask for the factor: ${way('viewed')}`;
      if (interaction.state === 'awaitingSignIn' && way('factorAdded') !== 'factor')
        return 'it continues without the factor';
      const after = storedAfter(walk, ports, ofInteraction('factorDeclined', session));
      return after?.interaction.state === 'denied' ? null : 'a declined factor does not end the request';
    },
  },
  {
    name: 'a-factor-renews-the-cookie',
    says: 'An additional factor replaces the cookie: the cookie from before is not signed in.',
    spec: 'OWASP ASVS 5.0 §7.2.4',
    machines: SESSION,
    violation: (_, { stored }, { commit, after }) => {
      if (commit?.held !== true || commit.commit.kind !== 'addFactor') return null;
      const { idHash } = commit.commit.loaded;
      if (after.stored.sessions.some((one) => sameBytes(one.idHash, idHash)))
        return 'the cookie from before still counts';
      const before = stored.sessions.find((one) => sameBytes(one.idHash, idHash));
      const now = after.stored.sessions.find(({ sid }) => sid === before?.sid);
      return before && now && before.amr.every((method) => now.amr.includes(method)) ? null : 'a method was lost';
    },
  },
  {
    name: 'ended-session-approves-nothing',
    says: 'After an acknowledged end of a session nothing is approved from it.',
    spec: 'OpenID Connect RP-Initiated Logout §2',
    violation: (_, { known }, { commit }) => {
      const approval = approvalIn(commit);
      return approval && known.ended.includes(approval.session.sid)
        ? 'a code was issued from a session whose end had been acknowledged'
        : null;
    },
  },
  {
    name: 'nothing-dead-approves',
    says: 'No approval outlives its basis: the interaction, the session, the client and the user are active when the commit happens.',
    spec: 'OAuth 2.1 §4.1.2, RFC 9700 §4.14.2',
    violation: (_, { stored, now }, { commit, after }) => {
      const approval = approvalIn(commit);
      if (!approval) return null;
      const dead = whatIsOver(stored, approval.session.sid, now);
      if (dead !== null) return `a code was issued though ${dead}`;
      const grant = after.stored.grants.at(-1);
      return grant && grantState({ ...grant, ...liveEpochs(ownersOf(after.stored, grant.userId)) }) === 'active'
        ? null
        : 'a grant was made that is revoked from the start';
    },
    // The redirect URI is no fact of the commit: it is asked when the interaction is loaded.
    violationAt: (walk, ports) => {
      const { client, interaction } = ports.stored;
      if (client.redirectUris.includes(interaction.redirectUri)) return null;
      const served = interactionsWith(liveSession(ports)).find((asked) => approvesWith(walk, ports, asked));
      return served ? 'a code would be issued to a redirect URI that is not registered any more' : null;
    },
  },
  {
    name: 'one-code',
    says: 'An interaction makes at most one grant, and every answer that it repeats names the code of that grant.',
    spec: 'OAuth 2.1 §4.1.2',
    machines: INTERACTION,
    violation: (_, __, { after: { stored }, answer }) => {
      if (stored.grants.length > 1) return 'an interaction made two grants';
      if (stored.grants.length === 1 && stored.interaction.state !== 'approved')
        return 'a grant exists whose interaction is not approved';
      if (typeof answer?.answer !== 'object' || answer.answer.kind !== 'approved') return null;
      const [grant] = stored.grants;
      return grant && answer.answer.code === `code of ${grant.id}`
        ? null
        : 'a code left the server that is not that of the grant';
    },
  },
  {
    name: 'answered-stays-answered',
    says: 'An interaction that was answered stays answered, and none is stored after its end, when an earlier row of it may be gone.',
    spec: 'OAuth 2.1 §4.1.2',
    machines: INTERACTION,
    violation: (_, { stored: { interaction, isStored }, now }, { after }) => {
      if (!isStored && after.stored.isStored && now >= interaction.endsAt.getTime())
        return 'an interaction was stored after its end';
      const { state } = interaction;
      if (state !== 'approved' && state !== 'denied') return null;
      return after.stored.interaction.state === state
        ? null
        : `an interaction that was ${state} became ${after.stored.interaction.state}`;
    },
  },
  {
    name: 'one-answer-to-a-pushed-request',
    says: 'A request that the client pushed has one answer, whatever tabs and errors meet: a code or an error, and the answer spends it.',
    spec: 'RFC 9126 §4, §7.3',
    machines: INTERACTION,
    violation: (_, { stored: { pushed, interaction } }, { commit, after: { stored } }) => {
      if (pushed === null) return null;
      if (pushed.state === 'used' && stored.pushed?.state !== 'used')
        return 'an answered request can be answered again';
      const isAnswer = commit?.held === true && answersClient(commit.commit);
      if (isAnswer && pushed.state === 'used') return 'it was answered twice';
      if (isAnswer && stored.pushed?.state !== 'used') return 'an answer did not spend it';
      const isOpen = interaction.state === 'awaitingSignIn' || interaction.state === 'awaitingConsent';
      const isSpent = commit?.held === true && pushed.state === 'pushed' && stored.pushed?.state === 'used';
      return isSpent && !(isAnswer && isOpen) ? 'it was spent without an answer' : null;
    },
    violationAt: (walk, ports) => {
      const { pushed, interaction } = ports.stored;
      const isOpen = interaction.state === 'awaitingSignIn' || interaction.state === 'awaitingConsent';
      const session = sessionThatMayGoOn(ports);
      if (pushed?.state !== 'used' || !isOpen || !session) return null;
      const event = INTERACTION_EVENTS.find((one) => {
        const way = wayOf(walk, ports, ofInteraction(one, session));
        return way !== 'rejected' && !(interaction.state === 'awaitingSignIn' && DECISIONS.includes(one));
      });
      return event === undefined ? null : `it was answered, and ${event} continues it`;
    },
  },
  {
    name: 'stored-for-an-end-user',
    says: 'An interaction has no row before an end-user has signed in. A silent refusal and an approval without a page leave none, other steps do.',
    spec: 'OpenID Connect Core §3.1.2.6',
    machines: INTERACTION,
    violation: (_, { stored: { isStored } }, { commit, after: { stored } }) => {
      if (approvalIn(commit) && commit?.asked.kind === 'interaction') {
        const hasPage = commit.asked.event !== 'requested';
        if (hasPage !== stored.isStored) return `an approval ${hasPage ? 'with' : 'without'} a page is stored wrongly`;
      }
      if (isStored || !stored.isStored) return null;
      const { state, userId } = stored.interaction;
      if (userId === null) return 'an interaction was stored without an end-user';
      return state === 'awaitingSignIn' ? 'an interaction was stored before it continued' : null;
    },
    violationAt: (walk, ports) => {
      const session = liveSession(ports);
      if (ports.stored.isStored || !ports.stored.interaction.prompt.includes('none')) return null;
      const way = wayOf(walk, ports, ofInteraction('requested', session));
      return way === 'move' ? 'a silent refusal is stored' : null;
    },
  },
  {
    name: 'silent-shows-nothing',
    says: 'With prompt=none no page is ever shown.',
    spec: 'OpenID Connect Core §3.1.2.1, §3.1.2.6',
    machines: INTERACTION,
    violation: (_, { stored: { interaction } }, { answer }) => {
      if (answer === null || answer.asked.kind !== 'interaction' || answer.asked.event !== 'requested') return null;
      const shows = typeof answer.answer === 'object' && ['signIn', 'signUp', 'consent'].includes(answer.answer.kind);
      return shows && interaction.prompt.includes('none') ? 'a page was shown though the client wanted none' : null;
    },
  },
  {
    name: 'ended-stays-ended',
    says: 'An ended session never becomes active again.',
    machines: SESSION,
    violation: (walk, before, move) => {
      const { stored } = before;
      const revived = stored.sessions.find(
        ({ sid }) => stateOf(stored, sid) === 'ended' && stateOf(move.after.stored, sid) === 'active',
      );
      return (
        SESSIONS_STAY_ENDED.violation(walk, before, move) ?? (revived ? `${revived.sid} became active again` : null)
      );
    },
    // An ended session is not admitted, with any reason of its end.
    violationAt: (walk, ports) => {
      const admitted = ports.stored.sessions.find(
        ({ sid }) =>
          sessionIsOver(ports.stored, sid, ports.now) &&
          ['admitted', 'recordUse'].includes(wayOf(walk, ports, ofSession('used', sid))),
      );
      return admitted ? `${admitted.sid} has ended, and a browser is signed in with it` : null;
    },
  },
  {
    name: 'every-session-end-has-an-arm',
    says: 'Every way in which a session ends is an arm of its machine.',
    machines: SESSION,
    violation: (walk, { stored, now }, { after, action, commit }) => {
      const ended = stored.sessions.find(
        ({ sid }) => stateOf(stored, sid) === 'active' && stateOf(after.stored, sid) !== 'active',
      );
      // A sign-in replaces the session by a request of its own; its commit comes from the machine.
      if (!ended || commit !== null || after.stored.sessions.length > stored.sessions.length) return null;
      const type = (action as Ending<Terms> | null)?.event;
      const facts = { now: new Date(now), lifetimes: SESSION_LIFETIMES };
      const session = sessionAsLoaded(stored, ended);
      const event = type ? { type, now } : null;
      return armMissing(SESSION_ENDS, session, facts, event, walk.machineOf);
    },
  },
  {
    name: 'session-ends-when-asked',
    says: 'A session that is active admits its browser, and ends when its owner or an administrator asks for it, and once it is idle or too old.',
    spec: 'OpenID Connect RP-Initiated Logout §2',
    machines: SESSION,
    violation: (_, { stored }, { commit }) =>
      commit?.commit.kind === 'end' && !commit.held && rowOf(stored, commit.commit.loaded.sid)?.state === 'active'
        ? 'the end of a session was turned away, and the session lived on'
        : null,
    violationAt: (walk, ports) => {
      const { stored, now } = ports;
      for (const { sid, lastUsedAt } of stored.sessions) {
        if (stateOf(stored, sid) !== 'active') continue;
        const isOver = sessionIsOver(stored, sid, now);
        const kept = SESSION_EVENTS.filter((event) => event !== 'factorAdded' && (isOver || event !== 'used')).find(
          (event) => {
            const after = storedAfter(walk, ports, ofSession(event, sid));
            return after === null || rowOf(after, sid)?.state === 'active';
          },
        );
        if (kept) return `${sid} lives on after ${kept}`;
        const use = wayOf(walk, ports, ofSession('used', sid));
        const isDue = now - lastUsedAt.getTime() >= USE_DUE_MILLISECONDS;
        if (!isOver && use !== (isDue ? 'recordUse' : 'admitted')) return `${sid} is active, and a use of it is ${use}`;
      }
      return null;
    },
  },
  {
    name: 'every-step-is-answered',
    says: 'Every event of an interaction and of a session is answered, in every state that can be reached.',
    spec: 'OAuth 2.1 §4.1.2',
    ...ANSWERED,
    violationAt: (walk, ports) => ANSWERED.violationAt(walk, ports) ?? doneWithoutASession(walk, ports),
  },
  {
    name: 'consent-is-served',
    says: 'A consent in time, or one that is remembered and may be relied on, or a client of the team, yields a code: nothing above holds because nothing works.',
    spec: 'OAuth 2.1 §4.1.2',
    violationAt: (walk, ports) => {
      const session = sessionThatMayGoOn(ports);
      const { interaction } = ports.stored;
      if (!session || grantableIn(interaction).length === 0) return null;
      if (interaction.requiredClass !== null && !hasFactor(session)) return null;
      const served = (event: InteractionEventType) => approvesWith(walk, ports, ofInteraction(event, session));
      const stateAfter = (event: InteractionEventType) =>
        storedAfter(walk, ports, ofInteraction(event, session))?.interaction.state;
      const [grant] = ports.stored.grants;
      const waits = grant && grant.state === 'active' && grant.refreshGeneration === null;
      if (waits && grant.userId === session.userId && ports.now < grant.codeEndsAt.getTime()) {
        const way = wayOf(walk, ports, ofInteraction('consented', session));
        return way === 'approved' ? null : 'a consent that is sent twice is not answered with its code';
      }
      if (ports.stored.pushed?.state === 'used') return null;
      if (interaction.state === 'awaitingConsent' && interaction.userId === session.userId) {
        return served('consented') ? null : 'a consent in time yields no code';
      }
      if (interaction.state !== 'awaitingSignIn') return null;
      const isAllowed =
        mayRelyOnRegistration(ports.stored) ||
        (mayRelyOnConsent(ports.stored) && allowedBefore(ports.stored, session.userId));
      const { prompt, maxAgeSeconds, hintedUserId } = interaction;
      const needsNoPage = prompt.every((one) => one === 'none') && maxAgeSeconds === null && hintedUserId === null;
      if (!isAllowed && needsNoPage && prompt.length === 0 && stateAfter('requested') !== 'awaitingConsent')
        return 'a signed-in end-user is not asked';
      if (isAllowed && needsNoPage && !served('requested')) return 'a consent that is remembered yields no code';
      const isFresh = session.signedInAt.getTime() >= BEGAN_AT && hintedUserId === null;
      if (!isFresh) return null;
      const state = stateAfter('signedIn');
      const right = isAllowed ? 'approved' : 'awaitingConsent';
      return state === right ? null : `a sign-in leads to ${state ?? 'nothing'}, not to ${right}`;
    },
  },
];

/** Of the lifetimes of this walk: a use is written down once a minute. */
const USE_DUE_MILLISECONDS = 60_000;

/** Where the engine leads with it, asked now and left alone: the kind of its commit, or of its answer. */
function wayOf(walk: Walk<Terms>, ports: Ports, asked: Asked): string {
  const ran = runAlone(walk, ports, asked);
  if (ran.kind === 'wants') return ran.next.kind === 'commit' ? ran.next.commit.kind : ran.next.kind;
  if (ran.kind === 'answered') return typeof ran.answer === 'object' ? ran.answer.kind : 'nothing';
  return ran.kind;
}

/** Without a sign-in they are rejected anyway. */
const DECISIONS: readonly InteractionEventType[] = ['consented', 'refused'];
const LOOKS: readonly InteractionEventType[] = ['viewed', 'switchRequested'];
const INTERACTION_EVENTS = Object.keys(interactionLifecycle.answers) as readonly InteractionEventType[];
const SESSION_EVENTS: readonly SessionEventType[] = [
  'used',
  'factorAdded',
  'signOutRequested',
  'endRequested',
  'endRequestedByAdministrator',
  'signedInAgain',
];

const interactionsWith = (session: Session | null): readonly Asked[] =>
  INTERACTION_EVENTS.map((event) => ofInteraction(event, session));

function everythingAskedAt(stored: SignIn): readonly Asked[] {
  const sessions = stored.sessions.map((one) => sessionAsLoaded(stored, one));
  return [
    ...[null, ...sessions].flatMap(interactionsWith),
    ...sessions.flatMap(({ sid }) => SESSION_EVENTS.map((event) => ofSession(event, sid))),
  ];
}

/** The effects of a request that only reads, or has no session. */
function doneWithoutASession(walk: Walk<Terms>, ports: Ports): string | null {
  for (const asked of everythingAskedAt(ports.stored)) {
    if (asked.kind !== 'interaction') continue;
    const way = wayOf(walk, ports, asked);
    const isCommitted = way === 'move' || way === 'approve';
    if (isCommitted && LOOKS.includes(asked.event)) return 'looking at the page changes something';
    if (asked.session !== null) continue;
    if (way === 'move') return 'an interaction continues without a session';
    if (way === 'approved') return 'a code without a session';
  }
  return null;
}

/** A code or a refusal, which reaches the client. */
const answersClient = (commit: Terms['commit']): boolean =>
  commit.kind === 'approve' || commit.kind === 'spend' || (commit.kind === 'move' && commit.move.to === 'denied');

const approvalIn = (commit: Move<Terms>['commit']): Approval | null =>
  commit?.held === true && commit.commit.kind === 'approve' ? commit.commit.approval : null;

const approvesWith = (walk: Walk<Terms>, ports: Ports, asked: Asked): boolean =>
  storedAfter(walk, ports, asked, ({ kind }) => kind === 'approve') !== null;

/** Worked out from the rows alone, not by the machines that are on trial. */
function whatIsOver(stored: SignIn, sid: string, now: number): string | null {
  const { interaction, client } = stored;
  if (now >= interaction.endsAt.getTime()) return 'the interaction had ended';
  if (client.deletedAt !== null || client.epoch !== interaction.clientEpoch) return 'the client had been deleted';
  return sessionIsOver(stored, sid, now) ? 'the session or its user had ended' : null;
}

function sessionIsOver(stored: SignIn, sid: string, now: number): boolean {
  const session = rowOf(stored, sid);
  if (!session || session.state === 'ended') return true;
  const { user } = ownersOf(stored, session.userId);
  if (user.isDisabled || user.epoch !== session.userEpoch || stored.serverEpoch !== session.serverEpoch) return true;
  const loaded = sessionAsLoaded(stored, session);
  if (session.state === 'awaitingSecondFactor' && now >= secondFactorDueAt(loaded)) return true;
  return now >= sessionEndsAt(loaded, SESSION_LIFETIMES) || now >= sessionIdleEndsAt(loaded, SESSION_LIFETIMES);
}

const rowOf = ({ sessions }: SignIn, sid: string): StoredSession | undefined => sessions.find((one) => one.sid === sid);

/** As its machine derives it; null: the session is not found. */
function stateOf(stored: SignIn, sid: string): string | null {
  const session = rowOf(stored, sid);
  return session ? sessionState(sessionAsLoaded(stored, session)) : null;
}
const SESSION_ENDS = { lifecycle: sessionLifecycle, stateOf: sessionState, what: 'session', ended: 'ended' };

/** The session of the browser's cookie, if it is active. */
function liveSession({ stored, now }: Ports): Session | null {
  const session = stored.sessions.at(-1);
  const isSignedIn = session?.state === 'active' && !sessionIsOver(stored, session.sid, now);
  return isSignedIn ? sessionAsLoaded(stored, session) : null;
}

/** The same, while the basis of an approval is active. */
function sessionThatMayGoOn(ports: Ports): Session | null {
  const { stored, now } = ports;
  const { client, interaction } = stored;
  const session = liveSession(ports);
  if (!session || !client.redirectUris.includes(interaction.redirectUri)) return null;
  return whatIsOver(stored, session.sid, now) === null ? session : null;
}

const hasFactor = ({ amr }: Pick<Session, 'amr'>): boolean =>
  authenticationClassOf(amr) !== 'urn:statehouse:acr:password';

const isAssured = ({ interaction, client }: Pick<SignIn, 'interaction' | 'client'>): boolean =>
  client.tokenEndpointAuthMethod !== 'none' || interaction.redirectUri.startsWith('https:');

function mayRelyOnConsent({ interaction, client }: SignIn): boolean {
  return (
    isAssured({ interaction, client }) &&
    !interaction.prompt.includes('consent') &&
    !interaction.scope.includes('offline_access')
  );
}

const mayRelyOnRegistration = ({ interaction, client }: SignIn): boolean =>
  client.consent === 'skip' && isAssured({ interaction, client }) && !interaction.prompt.includes('consent');

const allowedBefore = ({ interaction, client, consents, users }: SignIn, userId: string): boolean =>
  consents.some(
    (one) =>
      one.userId === userId &&
      one.clientEpoch === client.epoch &&
      one.userEpoch === users.find(({ id }) => id === userId)?.epoch &&
      grantableIn(interaction).every((scope) => one.scope.includes(scope)) &&
      interaction.resources.every((resource) => one.resources.includes(resource)),
  );
