/** The recovery code: accepted once, and never after newer codes. */
import { allFail, does, everyAnswer, hasAny, holds, type Law, reject } from './law.ts';

export const lawsOfRecoveryCode: readonly Law[] = [
  everyAnswer('a code is accepted exactly while it is active, and is used by that', (answer) => {
    const isAccepted = answer.event === 'presented' && answer.state === 'active' && allFail(answer, 'userEnded');
    return isAccepted ? does(answer, 'used', 'spendCode', 'accept') : !hasAny(answer, ['accept', 'spendCode']);
  }),
  everyAnswer('what is not accepted is rejected, and nothing changes', (answer) => {
    if (answer.event !== 'presented') return true;
    if (answer.state === 'active') return !holds(answer, 'userEnded') || does(answer, 'active', reject('user_ended'));
    return does(
      answer,
      answer.state,
      reject(answer.state === 'used' ? 'recovery_code_used' : 'recovery_code_replaced'),
    );
  }),
  everyAnswer('new codes replace those that are active, and no others', (answer) => {
    if (answer.event !== 'newCodesRequested') return !hasAny(answer, ['replaceCode']);
    return answer.state === 'active' ? does(answer, 'replaced', 'replaceCode') : does(answer, answer.state);
  }),
];
