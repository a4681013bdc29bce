/** The jti of a proof: accepted once, in its time, and never again. */
import { allFail, does, everyAnswer, hasAny, type Law, reject, rejectsInThisOrder } from './law.ts';

export const lawsOfUsedJti: readonly Law[] = [
  everyAnswer('a proof is accepted exactly while it is unused and in its time, and is used by that', (answer) => {
    const isAccepted = answer.state === 'unused' && allFail(answer, 'expired', 'livesTooLong', 'isFromFuture');
    return isAccepted
      ? does(answer, 'used', 'recordJti', 'accept')
      : !hasAny(answer, ['recordJti', 'accept']) && answer.next === answer.state;
  }),
  everyAnswer('a used proof is refused, whatever its times', (answer) =>
    answer.state === 'used' ? does(answer, 'used', reject('proof_reused')) : true,
  ),
  everyAnswer(
    'the objections to an unused proof are answered in this order',
    rejectsInThisOrder(
      ['expired', 'proof_expired'],
      ['livesTooLong', 'proof_lives_too_long'],
      ['isFromFuture', 'proof_from_future'],
    ),
  ),
];
