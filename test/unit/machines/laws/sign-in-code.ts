/**
 * The code in a mail. It signs in once, in the browser and the place that asked, in time, and only after it was sent. Each wrong code
 * counts, and the last one ends it. Before it is sent, every typed code counts as a wrong one.
 */
import type { RejectReason } from '../../../../machines/unions.ts';
import { allFail, does, everyAnswer, hasAny, holds, type Law, reject } from './law.ts';

const ELSEWHERE: readonly (readonly [guard: string, reason: RejectReason])[] = [
  ['fromAnotherBrowser', 'another_browser'],
  ['fromAnotherPlace', 'another_place'],
];
const USELESS: readonly (readonly [guard: string, reason: RejectReason])[] = [
  ...ELSEWHERE,
  ['isNotOffered', 'not_offered'],
  ['expired', 'code_expired'],
];
const AFTER_THE_RIGHT_CODE: readonly (readonly [guard: string, reason: RejectReason])[] = [
  ['userEnded', 'user_ended'],
  ['sessionsEnded', 'sessions_ended'],
  ['addressDiffers', 'address_mismatch'],
];
const BEFORE_IT_IS_SENT: readonly (readonly [guard: string, reason: RejectReason])[] = [
  ['isNotOffered', 'not_offered'],
  ['expired', 'code_expired'],
  ['userEnded', 'user_ended'],
];
const SENDING = {
  requested: { last: ['addressIsMissing', 'address_mismatch'], next: 'active', effect: 'sendCode' },
  active: { last: ['identifiesAnother', 'code_is_anothers'], next: 'active', effect: 'repeatCode' },
} as const;
const ENDS = { used: 'code_used', spent: 'code_spent', superseded: 'code_superseded' } as const;
const isOpen = (state: string): boolean => state === 'requested' || state === 'active';

export const lawsOfSignInCode: readonly Law[] = [
  everyAnswer(
    'a code that another browser or place presents, or that is not valid now, is rejected without a count',
    (answer) => {
      if (answer.event !== 'presented' || !isOpen(answer.state)) return true;
      const first = USELESS.find(([guard]) => holds(answer, guard));
      return first === undefined || does(answer, answer.state, reject(first[1]));
    },
  ),
  everyAnswer(
    'a code is accepted exactly when it was sent, is right and in time, and its end-user may sign in',
    (answer) => {
      const guards = [...USELESS, ['isWrong'] as const, ...AFTER_THE_RIGHT_CODE].map(([guard]) => guard);
      const isAccepted = answer.event === 'presented' && answer.state === 'active' && allFail(answer, ...guards);
      return isAccepted ? does(answer, 'used', 'useCode', 'accept') : !hasAny(answer, ['accept', 'useCode']);
    },
  ),
  everyAnswer('the right code of an end-user who must not sign in is rejected, and stays as it was', (answer) => {
    if (answer.event !== 'presented' || answer.state !== 'active') return true;
    if (!allFail(answer, ...USELESS.map(([guard]) => guard), 'isWrong')) return true;
    const first = AFTER_THE_RIGHT_CODE.find(([guard]) => holds(answer, guard));
    return first === undefined || does(answer, 'active', reject(first[1]));
  }),
  everyAnswer(
    'each wrong code counts, and the last one ends the code; before it is sent, every code is wrong',
    (answer) => {
      const isTyped = answer.event === 'presented' && isOpen(answer.state);
      const isWrong = answer.state === 'requested' || holds(answer, 'isWrong');
      if (!isTyped || !allFail(answer, ...USELESS.map(([guard]) => guard)) || !isWrong)
        return !hasAny(answer, ['countWrongCode', 'spendWrongCodes']);
      return holds(answer, 'isLastWrongCode')
        ? does(answer, 'spent', 'spendWrongCodes', reject('code_mismatch'))
        : does(answer, answer.state, 'countWrongCode', reject('code_mismatch'));
    },
  ),
  everyAnswer('a code is sent once, to the verified address of an account that may sign in', (answer) => {
    if (answer.event !== 'identified' || !(answer.state in SENDING)) return !hasAny(answer, ['sendCode', 'repeatCode']);
    const { last, next, effect } = SENDING[answer.state as keyof typeof SENDING];
    const first = [...BEFORE_IT_IS_SENT, last].find(([guard]) => holds(answer, guard));
    return first === undefined ? does(answer, next, effect) : does(answer, answer.state, reject(first[1]));
  }),
  everyAnswer('a code that no browser asked for is sent to no end-user, and signs none in', (answer) => {
    if (answer.state !== 'unrequested' || answer.event === 'requested') return true;
    return answer.event === 'overtaken'
      ? does(answer, 'unrequested')
      : does(answer, 'unrequested', reject('code_unknown'));
  }),
  everyAnswer('a browser asks for a code once', (answer) =>
    answer.event !== 'requested' || answer.state === 'unrequested' ? true : does(answer, answer.state),
  ),
  everyAnswer('a browser stores a code where the policy offers it, and overtakes its older one', (answer) => {
    if (answer.event !== 'requested' || answer.state !== 'unrequested') return !hasAny(answer, ['storeCode']);
    return holds(answer, 'isNotOffered')
      ? does(answer, 'unrequested', reject('not_offered'))
      : does(answer, 'requested', 'storeCode', 'overtakeOlderCode');
  }),
  everyAnswer('a newer code of the browser ends an open one, and no other', (answer) => {
    if (answer.event !== 'overtaken') return !hasAny(answer, ['supersedeCode']);
    return isOpen(answer.state) ? does(answer, 'superseded', 'supersedeCode') : does(answer, answer.state);
  }),
  everyAnswer('nothing leads out of a code that has ended; another browser learns nothing of its end', (answer) => {
    if (!(answer.state in ENDS)) return true;
    const reason = ENDS[answer.state as keyof typeof ENDS];
    if (answer.event === 'identified') return does(answer, answer.state, reject(reason));
    if (answer.event !== 'presented') return does(answer, answer.state);
    const first = ELSEWHERE.find(([guard]) => holds(answer, guard));
    return does(answer, answer.state, reject(first?.[1] ?? reason));
  }),
];
