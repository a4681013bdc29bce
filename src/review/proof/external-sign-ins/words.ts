/** How a trace speaks of sign-ins at other places. */
import type { WalkWords } from '../walk.ts';
import { BEGAN_AT } from './beginnings.ts';
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
  commit: (commit) => ('loaded' in commit ? `the sign-in is ${commit.after.signIn.state}` : 'the identity is removed'),
  commitNoun: (commit) => ('loaded' in commit ? 'sign-in' : 'removal'),
  answer: (answer) => (answer?.kind === 'rejected' ? answer.reason : null),
  since: [BEGAN_AT, 'the beginning'],
  sender: 'browsers',
};
