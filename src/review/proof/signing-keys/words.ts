/** How a trace speaks of signing keys. */
import type { WalkWords } from '../walk.ts';
import { BEGAN_AT } from './initial-states.ts';
import type { Asked, Terms } from './terms.ts';

const nameOf = ({ type, kid, alg, atOnce }: Asked): string => {
  const key = kid ?? `a fresh key of ${alg}`;
  switch (type) {
    case 'rotationRequested':
      return `the rotation${atOnce ? ' at once' : ''}`;
    case 'revocationRequested':
      return `the revocation of ${key}`;
    default:
      return `the tick about ${key}`;
  }
};

export const WORDS: WalkWords<Terms> = {
  name: nameOf,
  begins: (asked) =>
    asked.type === 'rotationRequested' || asked.type === 'revocationRequested'
      ? `An operator asks for ${nameOf(asked)}`
      : `A node has ${nameOf(asked)}`,
  commit: ({ moves, added }) =>
    [
      ...(added ? [`${added.key.kid} is ${added.after.state}`] : []),
      ...moves.map(({ after }) => `${after.kid} is ${after.state}`),
    ].join(', '),
  commitNoun: () => 'keys',
  answer: (changes) => (changes.length === 0 ? 'nothing to do' : null),
  since: [BEGAN_AT, 'the start'],
  sender: 'nodes and operators',
};
