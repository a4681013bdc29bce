/** The set-up of the first operator: one use, in time, only where no operator exists, and no right once operators.yaml names one. */
import type { Answer } from '../answers.ts';
import { allFail, does, everyAnswer, hasAny, holds, type Law, reject, rejectsInThisOrder } from './law.ts';

const endSetUp = (reason: string): string => `endSetUp(${reason})`;

const AGAINST_USE = ['expired', 'serverRecovered', 'operatorExists', 'usernameIsNotExpected', 'usernameIsTaken'];
const ENDED = { unissued: 'set_up_unknown', used: 'set_up_used', ended: 'set_up_ended' } as const;

const isUse = ({ event }: Answer): boolean => event === 'used' || event === 'usedWithPasskey';

export const lawsOfOperatorSetUp: readonly Law[] = [
  everyAnswer('a link is issued once, where the server has no operator, and replaces the others', (answer) => {
    if (answer.event !== 'requested' || answer.state !== 'unissued')
      return !hasAny(answer, ['issueSetUp']) && (answer.event !== 'requested' || does(answer, answer.state));
    return holds(answer, 'operatorExists')
      ? does(answer, 'unissued', reject('operator_exists'))
      : does(answer, 'active', 'issueSetUp', 'replaceOthers');
  }),
  everyAnswer('a link makes an operator exactly while nothing speaks against it, with the account', (answer) => {
    const guards = answer.event === 'usedWithPasskey' ? [...AGAINST_USE, 'passkeyIsRegistered'] : AGAINST_USE;
    const makes = isUse(answer) && answer.state === 'active' && allFail(answer, ...guards);
    const withPasskey = answer.event === 'usedWithPasskey' ? ['addPasskey'] : [];
    return makes
      ? does(answer, 'used', 'useSetUp', 'registerOperator', ...withPasskey)
      : !hasAny(answer, ['useSetUp', 'registerOperator', 'addPasskey']) &&
          (answer.next !== 'used' || answer.state === 'used');
  }),
  everyAnswer('a refused use changes nothing, and has its reason in this order', (answer) => {
    if (!isUse(answer)) return true;
    if (answer.state in ENDED) return does(answer, answer.state, reject(ENDED[answer.state as keyof typeof ENDED]));
    return rejectsInThisOrder(
      ['expired', 'set_up_expired'],
      ['serverRecovered', 'server_recovered'],
      ['operatorExists', 'operator_exists'],
      ['usernameIsNotExpected', 'username_not_expected'],
      ['usernameIsTaken', 'username_taken'],
      ['passkeyIsRegistered', 'passkey_is_registered'],
    )(answer);
  }),
  everyAnswer('a newer link, or a declared operator, ends a link and the right of its operator', (answer) => {
    const isOpen = answer.state === 'active' || answer.state === 'used';
    if (answer.event === 'replaced')
      return isOpen ? does(answer, 'ended', endSetUp('replaced'), 'replaceOthers') : does(answer, answer.state);
    if (answer.event !== 'operatorDeclared') return !hasAny(answer, ['endSetUp']);
    return isOpen && holds(answer, 'operatorIsDeclared')
      ? does(answer, 'ended', endSetUp('operator_declared'))
      : does(answer, answer.state);
  }),
];
