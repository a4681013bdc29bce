/** How a trace speaks of signing in. */
import type { WalkWords } from '../walk.ts';
import { BEGAN_AT, USER } from './initial-states.ts';
import type { Asked, InteractionEventType, SessionEventType, Terms } from './terms.ts';

const INTERACTION_NAMES: Readonly<Record<InteractionEventType, string>> = {
  requested: 'the authorization request',
  viewed: 'the view of the page',
  switchRequested: 'the wish to sign in as another',
  signedIn: 'the sign-in',
  accountChosen: 'the choice of the account',
  factorAdded: 'the further factor, to go on with',
  factorDeclined: 'the refusal of a further factor',
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

const nameOf = (asked: Asked): string =>
  asked.kind === 'session' ? SESSION_NAMES[asked.event] : INTERACTION_NAMES[asked.event];

export const WORDS: WalkWords<Terms> = {
  name: nameOf,
  begins: (asked) => {
    if (asked.kind === 'session') return `The browser sends ${nameOf(asked)}`;
    const { session } = asked;
    const by =
      session === null
        ? 'without a session'
        : `with a session of the ${session.userId === USER ? '' : 'other '}end-user`;
    return `The browser sends ${nameOf(asked)} ${by}`;
  },
  commit: (commit) => {
    switch (commit.kind) {
      case 'move':
        return `the interaction is ${commit.move.to}`;
      case 'approve':
        return 'the interaction is approved, and a grant and its code exist';
      case 'recordUse':
        return 'the use is written down';
      case 'end':
        return 'the session has ended';
      case 'addFactor':
        return 'the session has a further factor, and another cookie';
    }
  },
  commitNoun: ({ kind }) => kind,
  answer: (answer) => {
    if (typeof answer === 'boolean') return answer ? 'ended' : 'it had ended before';
    switch (answer.kind) {
      case 'approved':
        return 'code';
      case 'denied':
        return answer.error;
      case 'rejected':
        return answer.reason;
      case 'signIn':
        return 'the sign-in page';
      case 'signUp':
        return 'the sign-up page';
      case 'factor':
        return 'the page of the second factor';
      case 'consent':
        return 'the consent page';
      case 'awaitsFactor':
        return 'the second factor is missing';
      case 'admitted':
        return 'admitted';
    }
  },
  since: [BEGAN_AT, 'the authorization request'],
  sender: 'the browser',
};
