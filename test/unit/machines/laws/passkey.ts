/** The passkey. A signature signs in while it is registered, newer than those before; a removed one never does. */
import { allFail, does, everyAnswer, hasAny, holds, type Law, reject, rejectsInThisOrder } from './law.ts';

const REMOVALS = ['removalRequested', 'removalRequestedByAdministrator', 'lost'];

export const lawsOfPasskey: readonly Law[] = [
  everyAnswer(
    'a signature is accepted exactly when it is right and newer, of a registered passkey and an enabled end-user',
    (answer) => {
      const isRight =
        answer.event === 'presented' &&
        answer.state === 'active' &&
        allFail(answer, 'userEnded', 'signatureDiffers', 'counterFellBack');
      if (isRight) return does(answer, 'active', 'recordSignature', 'accept');
      return (
        answer.event !== 'presented' || (!hasAny(answer, ['accept', 'recordSignature']) && answer.next === answer.state)
      );
    },
  ),
  everyAnswer(
    'it is registered once, never beside too many, and never by a password alone beside another factor',
    (answer) => {
      const isRegistered =
        answer.event === 'registered' &&
        answer.state === 'unregistered' &&
        allFail(answer, 'userEnded', 'anotherHasToBeProven', 'passkeysAreFull');
      if (isRegistered) return does(answer, 'active', 'registerPasskey', 'accept');
      if (answer.event === 'registered' && answer.state !== 'unregistered')
        return does(answer, answer.state, reject('passkey_is_registered'));
      return !hasAny(answer, ['registerPasskey']) && (answer.next !== 'active' || answer.state === 'active');
    },
  ),
  everyAnswer(
    'what is wrong is said in this order, and nothing changes',
    rejectsInThisOrder(
      ['userEnded', 'user_ended'],
      ['byPasswordAlone', 'factor_not_proven'],
      ['isDemanded', 'factor_is_demanded'],
      ['isLastWay', 'last_way_to_sign_in'],
      ['anotherHasToBeProven', 'factor_not_proven'],
      ['passkeysAreFull', 'too_many_passkeys'],
      ['signatureDiffers', 'signature_mismatch'],
      ['counterFellBack', 'signature_counter_fell_back'],
    ),
  ),
  everyAnswer(
    'an administrator removes it; so does the end-user who proved a factor, unless it is demanded, or the last way to sign in',
    (answer) => {
      if (!REMOVALS.includes(answer.event)) return !hasAny(answer, ['removeFactor']);
      if (answer.state !== 'active') return does(answer, answer.state);
      const isKept = holds(answer, 'byPasswordAlone') || holds(answer, 'isDemanded') || holds(answer, 'isLastWay');
      return isKept ? !hasAny(answer, ['removeFactor']) : does(answer, 'removed', 'removeFactor');
    },
  ),
  everyAnswer('a removed or unregistered passkey signs no user in and has no name', (answer) => {
    if (answer.state === 'active') return answer.event !== 'renamed' || does(answer, 'active', 'renamePasskey');
    if (answer.event === 'renamed') return does(answer, answer.state);
    if (answer.event !== 'presented') return true;
    return does(answer, answer.state, reject(answer.state === 'removed' ? 'factor_removed' : 'passkey_unknown'));
  }),
];
