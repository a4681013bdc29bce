/** How a trace speaks of links in mails. */
import type { WalkWords } from '../walk.ts';
import { BEGAN_AT } from './initial-states.ts';
import { addedBy, movesOf } from './store.ts';
import type { Asked, Terms } from './terms.ts';

function nameOf(asked: Asked): string {
  switch (asked.kind) {
    case 'send':
      return `a ${asked.purpose} link`;
    case 'use':
      return `the button of ${asked.id}${asked.withPassword ? ', signed in by password' : ''}`;
    case 'withdraw':
      return `the withdrawal of ${asked.id}`;
  }
}

const BEGINS = { send: 'Somebody asks for', use: 'Somebody presses', withdraw: 'An administrator asks for' } as const;

export const WORDS: WalkWords<Terms> = {
  name: nameOf,
  begins: (asked) => `${BEGINS[asked.kind]} ${nameOf(asked)}`,
  commit: (commit) => {
    const added = addedBy(commit);
    return [
      ...(added ? [`${added.id} is sent`] : []),
      ...movesOf(commit).map(({ id, state }) => `${id} is ${state}`),
    ].join(', ');
  },
  commitNoun: () => 'links',
  answer: (answer) => (typeof answer === 'object' && answer.kind === 'rejected' ? answer.reason : null),
  since: [BEGAN_AT, 'the start'],
  sender: 'people',
};
