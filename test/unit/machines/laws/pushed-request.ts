/** The pushed request: stored once, opened by its client's browsers in time, and answered once. */
import type { Answer } from '../answers.ts';
import { allFail, does, everyAnswer, hasAny, holds, type Law, reject, rejectsInThisOrder } from './law.ts';

const isStored = ({ state }: Answer): boolean => state === 'pushed' || state === 'used';

export const lawsOfPushedRequest: readonly Law[] = [
  everyAnswer('a request is stored once, while few enough requests of its client are open', (answer) => {
    if (answer.event !== 'received') return !hasAny(answer, ['storeRequest']);
    if (answer.state !== 'unpushed') return does(answer, answer.state, reject('pushed_request_used'));
    return holds(answer, 'tooManyAreOpen')
      ? does(answer, 'unpushed', reject('too_many_pushed_requests'))
      : does(answer, 'pushed', 'storeRequest');
  }),
  everyAnswer(
    'a request opens exactly for its client, in time and before its answer, and opening changes nothing',
    (answer) => {
      if (answer.event !== 'opened') return !hasAny(answer, ['openRequest']);
      const opens = answer.state === 'pushed' && allFail(answer, 'ofAnotherClient', 'expired');
      if (opens) return does(answer, 'pushed', 'openRequest');
      return answer.next === answer.state && hasAny(answer, ['reject']) && !hasAny(answer, ['openRequest']);
    },
  ),
  everyAnswer('a rejected link says that it is of another client before it says anything else', (answer) => {
    if (answer.event !== 'opened' || !isStored(answer)) return true;
    if (answer.state === 'used' && allFail(answer, 'ofAnotherClient'))
      return does(answer, 'used', reject('pushed_request_used'));
    return rejectsInThisOrder(
      ['ofAnotherClient', 'pushed_request_of_another_client'],
      ['expired', 'pushed_request_expired'],
    )(answer);
  }),
  everyAnswer('the first answer spends a request, and there is no second', (answer) => {
    if (answer.event !== 'answered') return !hasAny(answer, ['spendRequest']);
    if (answer.state === 'pushed') return does(answer, 'used', 'spendRequest');
    return does(
      answer,
      answer.state,
      reject(answer.state === 'used' ? 'pushed_request_used' : 'pushed_request_unknown'),
    );
  }),
  everyAnswer('nothing is open where nothing is stored', (answer) =>
    answer.state !== 'unpushed' || answer.event !== 'opened'
      ? true
      : does(answer, 'unpushed', reject('pushed_request_unknown')),
  ),
];
