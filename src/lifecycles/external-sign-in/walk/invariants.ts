/** The invariants of federated and delegated sign-ins: for each, a sentence and the violations. */

import { changeOf } from '../../../review/proof/carry-out.ts';
import type { DefinedInvariant } from '../../../review/proof/define-walk.ts';
import { everythingIsAnswered, staysEnded } from '../../../review/proof/invariants.ts';
import type { ModelState, Move } from '../../../review/proof/moment.ts';
import { storedAfter } from '../../../review/proof/moves.ts';
import { LINKED_IDENTITIES, type LinkedIdentity } from '../../linked-identity/entity.ts';
import { EXTERNAL_SIGN_INS, type ExternalSignIn } from '../entity.ts';
import { activeOf, type Brings, hasAnotherWay, isOvertaken, REMOVALS, type Stored, type Terms } from './ports.ts';
import { bringing, requestsAt } from './requests.ts';

/** `loaded`: the sign-in, as the decision saw it. */
type Seen = {
  readonly loaded: ExternalSignIn;
  readonly after: ExternalSignIn;
  readonly now: Date;
  readonly browser: string;
};

/** A commit about a sign-in that held. */
function heldIn({ commit }: Move<Terms>): Seen | null {
  if (!commit?.held || commit.asked.kind !== 'signIn') return null;
  const change = changeOf(commit.commit, EXTERNAL_SIGN_INS);
  if (!change?.loaded) return null;
  const { loaded, after } = change;
  return { loaded, after, now: commit.commit.now, browser: commit.asked.browser };
}
const usedIn = (move: Move<Terms>): Seen | null => {
  const seen = heldIn(move);
  return seen?.after.state === 'used' ? seen : null;
};
/** The browser receives the answer that it is signed in. */
function signedInBy({ answer }: Move<Terms>): string | null {
  const row = answer?.answer?.kind === 'done' && 'row' in answer.answer ? answer.answer.row : null;
  return row?.signIn.state === 'used' ? row.signIn.id : null;
}
const storedState = ({ stored }: ModelState<Terms>, { loaded }: Seen) => stateOf(stored, loaded.id);

const stateOf = ({ externalSignIns }: Stored, id: string) => externalSignIns.find((one) => one.id === id)?.state;

const UPSTREAM = ['externalSignIn'];
const IDENTITY = ['linkedIdentity'];

export const INVARIANTS: readonly DefinedInvariant<Terms>[] = [
  {
    name: 'an-answer-signs-in-once',
    says: 'An answer signs in once: only a sign-in that is answered and not used yet signs in.',
    spec: 'RFC 6749 §10.5',
    machines: UPSTREAM,
    violation: (_, before, move) => {
      const id = signedInBy(move);
      if (id !== null && before.known.signedIn.some((one) => one.id === id)) return 'its browser was signed in twice';
      if (id !== null && stateOf(move.after.stored, id) !== 'used')
        return 'its browser was signed in, and it may sign in again';
      const used = usedIn(move);
      return used && storedState(before, used) !== 'answered' ? 'it was not waiting for its browser' : null;
    },
  },
  {
    name: 'an-answer-is-taken-once',
    says: 'An answer, or a refusal, is taken once: a second one never replaces it.',
    spec: 'RFC 6749 §10.5',
    machines: UPSTREAM,
    violation: (_, before, move) => {
      const seen = heldIn(move);
      const state = seen?.after.state;
      if (!seen || (state !== 'answered' && state !== 'denied')) return null;
      return storedState(before, seen) === 'awaiting' ? null : 'an answer was replaced';
    },
  },
  {
    name: 'only-its-browser',
    says: 'Nothing that another browser brings changes anything.',
    spec: 'RFC 9700 §4.7',
    machines: UPSTREAM,
    violation: (_, __, move) => (heldIn(move)?.browser === 'another' ? 'another browser changed it' : null),
  },
  {
    name: 'never-after-a-later-sign-in',
    says: 'An answer never signs in after a later sign-in of the same browser for the same request.',
    spec: 'RFC 9700 §4.7',
    machines: UPSTREAM,
    violation: (_, { stored }, move) => {
      const used = usedIn(move);
      return used && isOvertaken(stored, used.loaded) ? 'a later sign-in was overtaken by it' : null;
    },
  },
  {
    name: 'late-answers-do-not-count',
    says: 'A request after the end of a sign-in changes nothing.',
    spec: 'RFC 9700 §4.7',
    machines: UPSTREAM,
    violation: (_, __, move) => {
      const seen = heldIn(move);
      return seen && seen.now >= seen.loaded.endsAt ? 'it had ended' : null;
    },
  },
  {
    name: 'no-ended-user-signs-in',
    says: 'An end-user who was disabled before the commit does not sign in, and no answer about them is recorded.',
    spec: 'OpenID Connect Core §3.1.2.3',
    machines: UPSTREAM,
    violation: (_, { stored }, move) => {
      const seen = heldIn(move);
      const user = seen && stored.users.find(({ id }) => id === seen.after.userId);
      if (!seen || !user || user.disabledAt === null || seen.after.state === 'denied') return null;
      return 'a sign-in of a disabled end-user continues';
    },
  },
  {
    name: 'an-answer-ends-with-the-sessions',
    says: 'An answer that names an end-user keeps their epoch, and does not sign in after every session of theirs ended.',
    spec: 'OpenID Connect Core §3.1.2.3',
    machines: UPSTREAM,
    violation: (_, { stored }, move) => {
      const seen = heldIn(move);
      const user = seen && stored.users.find(({ id }) => id === seen.after.userId);
      if (!seen || !user || seen.after.state === 'denied') return null;
      if (seen.after.state === 'answered' && seen.after.userEpoch !== user.epoch) return 'the answer has another epoch';
      return seen.loaded.userEpoch !== null && seen.loaded.userEpoch !== user.epoch
        ? 'an older answer signed in'
        : null;
    },
  },
  {
    name: 'an-account-there-is-one-end-user',
    says: 'An account at an identity provider is linked to one end-user at a time, and no other end-user takes it from them.',
    violationAt: (_, { stored }) =>
      stored.linkedIdentities.filter((one) => one === activeOf({ linkedIdentities: [one] })).length > 1
        ? 'two end-users have it'
        : null,
    violation: (_, { stored }, { after }) => {
      const moved = after.stored.linkedIdentities.some((now) => {
        const before = stored.linkedIdentities.find(({ id }) => id === now.id);
        return before !== undefined && before.userId !== now.userId;
      });
      return moved ? 'an identity changed its end-user' : null;
    },
  },
  {
    name: 'signs-in-whom-it-is-linked-to',
    says: 'A sign-in at an identity provider signs in the end-user to whom the account is linked, and no other end-user.',
    violation: (_, __, move) => {
      const used = usedIn(move);
      if (used?.after.kind !== 'upstream') return null;
      const linked = activeOf(move.after.stored);
      return linked?.userId === used.after.userId ? null : 'another end-user was signed in';
    },
  },
  {
    name: 'a-link-is-for-its-beginner',
    says: 'A link goes to the end-user who began it.',
    spec: 'RFC 6749 §10.12',
    violation: (_, __, move) => {
      const used = usedIn(move);
      if (used?.loaded.purpose !== 'link') return null;
      return used.after.userId === used.loaded.userId ? null : 'it went to another';
    },
  },
  {
    name: 'nothing-half-done',
    says: 'One commit stores a just-in-time user, their identity and the use of the answer, or nothing.',
    spec: 'RFC 9110 §9.2.2',
    violationAt: (_, { stored }) => {
      const made = stored.users.filter(({ id }) => id.startsWith('made by '));
      const isAlone = made.some(({ id }) => {
        const signIn = stored.externalSignIns.find((one) => id === `made by ${one.id}`);
        return signIn?.state !== 'used' || !stored.linkedIdentities.some(({ userId }) => userId === id);
      });
      return isAlone ? 'an end-user without an identity' : null;
    },
  },
  {
    name: 'one-username-for-each-just-in-time-user',
    says: 'No two end-users have the same username.',
    machines: UPSTREAM,
    violationAt: (_, { stored: { users } }) =>
      new Set(users.map(({ username }) => username)).size < users.length ? 'two end-users are called the same' : null,
  },
  {
    name: 'a-way-to-sign-in-stays',
    says: 'An end-user never removes the last way to sign in.',
    spec: 'NIST SP 800-63B-4 §4.2',
    machines: IDENTITY,
    violation: (_, { stored }, { commit }) => {
      const removed =
        commit?.held && commit.asked.kind === 'identity' ? changeOf(commit.commit, LINKED_IDENTITIES) : null;
      if (removed?.after.removedReason !== 'removed_by_user') return null;
      const { id, userId } = removed.after;
      return hasAnotherWay(stored, id, userId) ? null : 'the last way is gone';
    },
  },
  {
    name: 'removed-identities-stay-removed',
    says: 'A removed identity never comes back, and its row stays as the removal wrote it.',
    machines: IDENTITY,
    ...staysEnded<Terms, LinkedIdentity>({
      rows: ({ linkedIdentities }) => linkedIdentities,
      nameOf: ({ id }) => id,
      hasEnded: ({ state }) => state === 'removed',
      fact: ({ removedReason }) => removedReason,
    }),
  },
  {
    name: 'only-whom-the-policy-admits',
    says: 'An identity that the policy does not admit is never signed in, and a just-in-time user only where the policy registers them.',
    machines: UPSTREAM,
    violation: (_, { stored }, move) => {
      const used = usedIn(move);
      if (!used || move.commit?.asked.kind !== 'signIn') return null;
      if (!move.commit.asked.isAdmitted) return 'an identity that is not admitted was signed in';
      const isNew = stored.users.every(({ id }) => id !== used.after.userId);
      return isNew && !stored.registers ? 'a just-in-time user was registered' : null;
    },
  },
  {
    name: 'identities-can-be-removed',
    says: 'An end-user with another way to sign in removes an identity; an administrator removes any.',
    machines: IDENTITY,
    violationAt: (walk, ports) => {
      const { stored } = ports;
      for (const { id, userId, state } of stored.linkedIdentities) {
        if (state !== 'active') continue;
        for (const type of REMOVALS) {
          if (type === 'removalRequested' && !hasAnotherWay(stored, id, userId)) continue;
          const after = storedAfter(walk, ports, { kind: 'identity', type, id, userId });
          if (after?.linkedIdentities.find((one) => one.id === id)?.state !== 'removed')
            return `${id} cannot be removed`;
        }
      }
      return null;
    },
  },
  {
    name: 'every-browser-is-answered',
    says: 'Every event is answered, in every state that can be reached.',
    spec: 'RFC 9110 §15',
    ...everythingIsAnswered(({ stored }) => requestsAt(stored)),
  },
  {
    name: 'answers-in-time-sign-in',
    says: 'An answer in time, in the browser that began, signs in. Nothing above holds because nothing works.',
    spec: 'OpenID Connect Core §3.1.2.3',
    violationAt: (walk, ports) => {
      const { stored, now } = ports;
      if (stored.users.some(({ disabledAt }) => disabledAt !== null)) return null;
      for (const signIn of stored.externalSignIns) {
        const { id, kind, purpose, state, endsAt, userId, userEpoch } = signIn;
        if (now >= endsAt.getTime()) continue;
        if (userEpoch !== null && stored.users.some((user) => user.id === userId && user.epoch !== userEpoch)) continue;
        const leadsTo = (type: Brings['type'], browser: Brings['browser']) => {
          const after = storedAfter(walk, ports, bringing(signIn, type, browser, stored));
          return after && stateOf(after, id);
        };
        const through = kind === 'upstream' ? 'its' : 'none';
        if (state === 'awaiting' && leadsTo('answerReceived', through) !== 'answered') return `${id} is not taken`;
        if (state !== 'answered' || isOvertaken(stored, signIn)) continue;
        const linked = activeOf(stored);
        if (!linked && !stored.registers && purpose === 'signIn' && kind === 'upstream') continue;
        if (purpose === 'link' && linked && linked.userId !== userId) continue;
        if (leadsTo('browserReturned', 'its') !== 'used') return `${id} cannot continue`;
      }
      return null;
    },
  },
];
