/** How a trace speaks of presentations. */
import type { WalkWords } from '../walk.ts';
import { APPROVED_AT } from './initial-state.ts';
import type { Asked, Terms } from './terms.ts';

/** In the order in which they left the server. */
export const nameOf = ({ credential }: Pick<Asked, 'credential'>): string =>
  credential === null ? 'the revocation' : credential === 'code' ? 'the code' : `refresh token ${credential + 1}`;

export const WORDS: WalkWords<Terms> = {
  name: nameOf,
  begins: (asked, { spent }) =>
    asked.credential === null
      ? 'A revocation is requested'
      : `Somebody presents ${nameOf(asked)}${spent.includes(asked.credential) ? ' once more' : ''}`,
  commit: ({ kind }) => (kind === 'moveHead' ? 'tokens are issued' : 'the chain is revoked'),
  commitNoun: ({ kind }) => (kind === 'moveHead' ? 'tokens' : 'revocation'),
  answer: (answer) => {
    if (typeof answer === 'boolean') return null;
    return answer.kind === 'rejected' ? answer.reason : `refresh token of generation ${answer.issued.generation}`;
  },
  since: [APPROVED_AT, 'the approval'],
  sender: 'the holder',
};
