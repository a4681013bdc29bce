/** How a trace speaks of factors. */
import type { WalkWords } from '../walk.ts';
import { BEGAN_AT, THIS_STEP } from './initial-states.ts';
import { writtenBy } from './invariants.ts';
import { isAboutSession } from './store.ts';
import type { Asked, Terms } from './terms.ts';

function nameOf(asked: Asked): string {
  switch (asked.about) {
    case 'session':
      return `the sign-in of ${asked.sid} with ${asked.factor.id}`;
    case 'code':
      return asked.type === 'presented' ? asked.id : `the wish for codes in place of ${asked.id}`;
    case 'app':
      if (!('step' in asked)) return `the removal of ${asked.id}`;
      if (asked.step === null) return 'a wrong code';
      return asked.step === THIS_STEP ? 'the code of now' : 'the code of the step before';
    case 'passkey':
      if (asked.type === 'registered') return asked.id;
      if (asked.type !== 'presented') return `the removal of ${asked.id}`;
      return asked.counter === null ? 'a wrong signature' : `the signature ${asked.counter} of ${asked.id}`;
  }
}

const senderOf = (asked: Asked): string => {
  if ('sid' in asked && asked.sid !== '') return asked.sid;
  return asked.about !== 'code' && 'type' in asked && asked.type === 'removalRequestedByAdministrator'
    ? 'an administrator'
    : 'the end-user';
};

const writtenWords = (change: ReturnType<typeof writtenBy>): string => `${change?.after.id} is ${change?.after.state}`;

export const WORDS: WalkWords<Terms> = {
  name: nameOf,
  begins: (asked) => `From ${senderOf(asked)} comes ${nameOf(asked)}`,
  commit: (commit) => (isAboutSession(commit) ? 'the browser is signed in' : writtenWords(writtenBy(commit))),
  commitNoun: (commit) => (isAboutSession(commit) ? 'session' : 'factor'),
  answer: (answer) => (answer.kind === 'rejected' ? answer.reason : null),
  since: [BEGAN_AT, 'the start'],
  sender: 'browsers',
};
