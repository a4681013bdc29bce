/** The registration of a client that registered itself: only its token changes it, no change weakens it, and it ends once. */
import type { Answer } from '../answers.ts';
import { allFail, does, everyAnswer, hasAny, holds, type Law, reject } from './law.ts';

const PRESENTED = ['readRequested', 'changeRequested', 'deletionRequested'];
const isStored = ({ state }: Answer): boolean => state === 'unused' || state === 'used';

/** In the order of the guards. */
const REFUSALS = [
  ['tokenIsWrong', reject('registration_token_wrong')],
  ['isDeleted', reject('registration_ended')],
  ['isVetted', reject('registration_adopted')],
] as const;
const isTheirs = (answer: Answer): boolean => allFail(answer, ...REFUSALS.map(([guard]) => guard));

export const lawsOfClientRegistration: readonly Law[] = [
  everyAnswer(
    'a wrong token, a deleted client and a vetted one have their answer first, and change nothing',
    (answer) => {
      if (!PRESENTED.includes(answer.event) || !isStored(answer)) return true;
      const first = REFUSALS.find(([guard]) => holds(answer, guard));
      return first === undefined || does(answer, answer.state, first[1]);
    },
  ),
  everyAnswer('without a registration, each presented token is refused', (answer) => {
    if (!PRESENTED.includes(answer.event) || isStored(answer)) return true;
    const reason = answer.state === 'ended' ? 'registration_ended' : 'registration_unknown';
    return does(answer, answer.state, reject(reason));
  }),
  everyAnswer('a client registers itself once, while the rules let it and the table has room', (answer) => {
    if (answer.event !== 'registrationRequested') return !hasAny(answer, ['storeRegistration']);
    if (answer.state !== 'unregistered') return does(answer, answer.state, reject('registration_unknown'));
    if (holds(answer, 'isOff')) return does(answer, 'unregistered', reject('registration_off'));
    return holds(answer, 'tooManyAreStored')
      ? does(answer, 'unregistered', reject('too_many_registrations'))
      : does(answer, 'unused', 'storeRegistration', 'describeClient');
  }),
  everyAnswer('a client reads itself by its token, and reading changes nothing', (answer) =>
    answer.event !== 'readRequested' || !isStored(answer) || !isTheirs(answer)
      ? true
      : does(answer, answer.state, 'showClient'),
  ),
  everyAnswer('a change keeps the strength of the authentication, and the rules of now let it', (answer) => {
    if (answer.event !== 'changeRequested' || !isStored(answer) || !isTheirs(answer)) return true;
    if (holds(answer, 'isOff')) return does(answer, answer.state, reject('registration_off'));
    return holds(answer, 'weakensAuthentication')
      ? does(answer, answer.state, reject('registration_weakens_authentication'))
      : does(answer, answer.state, 'showClient', 'describeClient');
  }),
  everyAnswer('a deletion ends the registration with the client, and nothing else does', (answer) => {
    if (answer.event === 'deletionRequested' && isStored(answer) && isTheirs(answer))
      return does(answer, 'ended', 'endRegistration', 'endClient');
    return !hasAny(answer, ['endRegistration', 'endClient']) && (answer.state === 'ended' || answer.next !== 'ended');
  }),
  everyAnswer('an ended registration stays ended', (answer) => answer.state !== 'ended' || answer.next === 'ended'),
  everyAnswer('a sign-in uses the registration, and moves its end no more than daily', (answer) => {
    if (answer.event !== 'authorized') return !hasAny(answer, ['extendRegistration']);
    if (!isStored(answer)) return does(answer, answer.state);
    return answer.state === 'used' && holds(answer, 'wasJustExtended')
      ? does(answer, 'used')
      : does(answer, 'used', 'extendRegistration');
  }),
];
