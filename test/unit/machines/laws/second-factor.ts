/** The authenticator app. A code counts once, of a confirmed factor that was not removed; a password alone changes nothing. */
import { allFail, does, everyAnswer, hasAny, holds, type Law, reject, rejectsInThisOrder } from './law.ts';

const REMOVALS = ['removalRequested', 'removalRequestedByAdministrator', 'lost'];

export const lawsOfSecondFactor: readonly Law[] = [
  everyAnswer(
    'a code is accepted exactly when it is right, newer than the last, of an active factor and an enabled end-user',
    (answer) => {
      const isRight =
        answer.event === 'presented' &&
        answer.state === 'active' &&
        allFail(answer, 'userEnded', 'codeDiffers', 'codeWasUsed');
      if (isRight) return does(answer, 'active', 'recordStep', 'accept');
      return answer.event !== 'presented' || !hasAny(answer, ['accept', 'recordStep']);
    },
  ),
  everyAnswer(
    'a factor becomes active exactly by its first right code in time, and never by a password alone beside another',
    (answer) => {
      const isRight =
        answer.event === 'confirmed' &&
        answer.state === 'unconfirmed' &&
        allFail(answer, 'userEnded', 'setUpIsOver', 'anotherHasToBeProven', 'codeDiffers');
      if (isRight) return does(answer, 'active', 'activateFactor', 'recordStep', 'accept');
      return !hasAny(answer, ['activateFactor']) && (answer.next !== 'active' || answer.state === 'active');
    },
  ),
  everyAnswer(
    'what is wrong with a code is said in this order, and nothing changes',
    rejectsInThisOrder(
      ['userEnded', 'user_ended'],
      ['setUpIsOver', 'set_up_too_late'],
      ['byPasswordAlone', 'factor_not_proven'],
      ['isDemanded', 'factor_is_demanded'],
      ['anotherHasToBeProven', 'factor_not_proven'],
      ['codeDiffers', 'code_mismatch'],
      ['codeWasUsed', 'code_reused'],
    ),
  ),
  everyAnswer(
    'an administrator removes it; so does the end-user who proved a factor, unless it is demanded',
    (answer) => {
      if (!REMOVALS.includes(answer.event)) return !hasAny(answer, ['removeFactor']);
      if (answer.state === 'removed') return does(answer, 'removed');
      const isKept = holds(answer, 'byPasswordAlone') || holds(answer, 'isDemanded');
      return isKept ? !hasAny(answer, ['removeFactor']) : does(answer, 'removed', 'removeFactor');
    },
  ),
  everyAnswer('a removed factor stays removed, and each code of it is rejected', (answer) => {
    if (answer.state !== 'removed' || REMOVALS.includes(answer.event))
      return answer.state !== 'removed' || answer.next === 'removed';
    return does(answer, 'removed', reject('factor_removed'));
  }),
  everyAnswer('an unconfirmed factor is no factor of a sign-in', (answer) =>
    answer.state === 'unconfirmed' && answer.event === 'presented'
      ? does(answer, 'unconfirmed', reject('factor_unconfirmed'))
      : true,
  ),
  everyAnswer('it is confirmed once', (answer) =>
    answer.state === 'active' && answer.event === 'confirmed' ? does(answer, 'active', reject('code_reused')) : true,
  ),
];
