/** How a trace speaks of mails. */
import { MAILS } from '../../../lifecycles/tables.ts';
import type { QueuedMail } from '../../../model/mail.ts';
import { type Change, changeOf } from '../carry-out.ts';
import type { WalkWords } from '../walk.ts';
import { BEGAN_AT } from './initial-states.ts';
import type { Asked, Terms } from './terms.ts';

function nameOf(asked: Asked): string {
  switch (asked.kind) {
    case 'claim':
      return 'the claim';
    case 'report':
      return `the report "${asked.outcome}" of the attempt until ${(asked.claim - BEGAN_AT) / 1000} s`;
    case 'displace':
      return 'the place for another mail';
  }
}

export const WORDS: WalkWords<Terms> = {
  name: nameOf,
  begins: (asked) => `A node asks for ${nameOf(asked)}`,
  commit: (commit) => {
    const { loaded, after } = changeOf(commit, MAILS) as Change<QueuedMail>;
    return loaded?.state === after.state
      ? `the mail is ${after.state}, attempt ${after.attempts}`
      : `the mail is ${after.state}`;
  },
  commitNoun: () => 'the mail',
  answer: ({ before, after }) => (before === after ? 'nothing to do' : null),
  since: [BEGAN_AT, 'the insert'],
  sender: 'nodes',
};
