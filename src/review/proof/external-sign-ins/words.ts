/** How a trace speaks of sign-ins at other places. */
import { EXTERNAL_SIGN_INS } from '../../../lifecycles/tables.ts';
import { changeOf } from '../carry-out.ts';
import type { WalkWords } from '../walk.ts';
import { BEGAN_AT } from './initial-states.ts';
import type { Asked, Terms } from './terms.ts';

const BROWSERS = { its: 'the browser that began', another: 'another browser', none: 'the application of the team' };
const THINGS = { answerReceived: 'an answer', refusalReceived: 'a refusal', browserReturned: 'itself back' };

const nameOf = (asked: Asked): string =>
  asked.about === 'identity' ? `the removal of the identity ${asked.id}` : `${THINGS[asked.type]} for ${asked.id}`;

export const WORDS: WalkWords<Terms> = {
  name: nameOf,
  begins: (asked) =>
    asked.about === 'identity'
      ? `${asked.type === 'removalRequested' ? 'The end-user' : 'An administrator'} asks for ${nameOf(asked)}`
      : `${BROWSERS[asked.browser]} brings ${nameOf(asked)}`,
  commit: (commit) => {
    const signIn = changeOf(commit, EXTERNAL_SIGN_INS);
    return signIn ? `the sign-in is ${signIn.after.state}` : 'the identity is removed';
  },
  commitNoun: (commit) => (changeOf(commit, EXTERNAL_SIGN_INS) ? 'sign-in' : 'removal'),
  answer: (answer) => (answer?.kind === 'rejected' ? answer.reason : null),
  since: [BEGAN_AT, 'the start'],
  sender: 'browsers',
};
