/** The walk of the administration: administrators who register, change, disable and delete the same client or end-user concurrently. */
import { isDeepStrictEqual } from 'node:util';
import { askingFor, defineWalk } from '../../../review/proof/define-walk.ts';
import { userRequest } from '../../user/lifecycle.ts';
import { clientRequest } from '../lifecycle.ts';
import { INVARIANTS } from './invariants.ts';
import { type Asked, commitAdministration, INITIAL_STATES, load, ownersIn, type Terms, USER_ID } from './ports.ts';
import { expecting, requestsAt } from './requests.ts';

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

const nameOf = ({ change, expected, ...more }: Asked): string => {
  const next = 'next' in more && more.next ? ` and ${NAMES[more.next.type]}` : '';
  return `${NAMES[change.type]}${next}${expected === null ? '' : ' of what was seen before'}`;
};
const senderOf = ({ actor }: Asked): string => `An administrator (${actor.kind}) asks for`;
const expectationOf =
  ({ expected }: Asked) =>
  (row: object) =>
    expected === null || isDeepStrictEqual(row, expected);

export const administration = defineWalk<Terms>({
  name: 'administration',
  of: 'administration',
  machines: ['client', 'user'],
  spec: 'RFC 9110 §13.1.1',
  bounds: [
    { requests: 2, inFlight: 2, faults: 1 },
    { requests: 3, inFlight: 2, faults: 0 },
  ],
  initialStates: INITIAL_STATES,
  load,
  commit: (stored, commit, _, leftOut) => commitAdministration(stored, commit, leftOut),
  requests: ({ stored }) => requestsAt(stored).flatMap((asked) => [asked, ...expecting(asked, stored)]),
  asking: askingFor<Terms>({
    client: {
      name: nameOf,
      from: senderOf,
      request: (asked) => clientRequest({ ...asked, expects: expectationOf(asked) }),
    },
    user: {
      name: nameOf,
      from: senderOf,
      request: (asked) => userRequest({ ...asked, id: USER_ID, expects: expectationOf(asked) }),
    },
  }),
  whenCommitted: ({ stored }, _, __, after) => ({ stored: [...stored, ...ownersIn(after)] }),
  invariants: INVARIANTS,
  words: {
    commit: ({ entries }) => `${entries[0]?.machine} is ${entries.at(-1)?.to}`,
    commitNoun: ({ entries }) => entries[0]?.machine ?? '',
    sender: 'administrators',
  },
});
