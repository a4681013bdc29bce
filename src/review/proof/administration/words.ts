/** How a trace speaks of the administration. */
import type { WalkWords } from '../walk.ts';
import { BEGAN_AT } from './initial-states.ts';
import type { Asked, Terms } from './terms.ts';

const NAMES: Readonly<Record<Asked['change']['type'], string>> = {
  registrationRequested: 'the registration',
  secretRequested: 'a further secret',
  secretReplacementRequested: 'the replacement of every secret',
  secretRemovalRequested: 'the removal of a secret',
  deletionRequested: 'the deletion',
  passwordChangeRequested: 'the new password',
  disableRequested: 'the disabling',
  enableRequested: 'the enabling',
  passwordRehashed: 'the new hash of the same password',
};

const nameOf = ({ change, expected, ...more }: Asked): string =>
  `${NAMES[change.type]}${'next' in more && more.next ? ` and ${NAMES[more.next.type]}` : ''}${expected === null ? '' : ' of what was seen before'}`;

export const WORDS: WalkWords<Terms> = {
  name: nameOf,
  begins: (asked) => `An administrator (${asked.actor.kind}) asks for ${nameOf(asked)}`,
  commit: ({ entries }) => `${entries[0]?.machine} is ${entries.at(-1)?.to}`,
  commitNoun: ({ entries }) => entries[0]?.machine ?? '',
  answer: (answer) => (answer.kind === 'rejected' ? answer.reason : null),
  since: [BEGAN_AT, 'the start'],
  sender: 'administrators',
};
