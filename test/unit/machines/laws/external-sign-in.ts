/**
 * The federated or delegated sign-in. Only an answer that was received once signs in, once, in the browser that began. The objections are
 * answered in a fixed order, and change nothing; an end-user and a link come only with a valid answer.
 */
import type { RejectReason } from '../../../../machines/unions.ts';
import { allFail, does, everyAnswer, hasAny, holds, type Law, onlyRejects, reject, rejectsInThisOrder } from './law.ts';

const AGAINST_RETURN: readonly (readonly [guard: string, reason: RejectReason])[] = [
  ['expired', 'external_sign_in_expired'],
  ['fromAnotherBrowser', 'another_browser'],
  ['isOvertaken', 'external_sign_in_overtaken'],
  ['notAdmitted', 'not_admitted'],
  ['userEnded', 'user_ended'],
  ['identityIsAnothers', 'identity_linked_elsewhere'],
  ['userIsUnknown', 'nobody_linked'],
];

export const lawsOfExternalSignIn: readonly Law[] = [
  everyAnswer('the objections are answered in this order, and nothing changes', rejectsInThisOrder(...AGAINST_RETURN)),
  everyAnswer('only an answer that was received, in time and in its browser, signs in', (answer) => {
    const returns = answer.state === 'answered' && answer.event === 'browserReturned';
    const counts = returns && allFail(answer, ...AGAINST_RETURN.map(([guard]) => guard));
    if (!counts) return !hasAny(answer, ['useAnswer', 'linkIdentity']) && (returns ? onlyRejects(answer) : true);
    if (holds(answer, 'userIsNew')) return does(answer, 'used', 'createUser', 'linkIdentity', 'useAnswer');
    return holds(answer, 'identityIsNew')
      ? does(answer, 'used', 'linkIdentity', 'useAnswer')
      : does(answer, 'used', 'useAnswer');
  }),
  everyAnswer('an answer is recorded once, while it is awaited', (answer) => {
    const comes = answer.state === 'awaiting' && answer.event === 'answerReceived';
    const counts = comes && allFail(answer, 'expired', 'fromAnotherBrowser', 'userEnded', 'userIsUnknown');
    if (!counts) return !hasAny(answer, ['recordAnswer']) && (comes ? onlyRejects(answer) : true);
    return holds(answer, 'userIsNew')
      ? does(answer, 'answered', 'createUser', 'recordAnswer')
      : does(answer, 'answered', 'recordAnswer');
  }),
  everyAnswer('a refusal ends it, while it is awaited', (answer) => {
    const comes = answer.state === 'awaiting' && answer.event === 'refusalReceived';
    const counts = comes && allFail(answer, 'expired', 'fromAnotherBrowser');
    if (!counts) return !hasAny(answer, ['recordRefusal']) && (comes ? onlyRejects(answer) : true);
    return does(answer, 'denied', 'recordRefusal');
  }),
  everyAnswer('no user signs in before an answer', (answer) => {
    if (answer.state !== 'awaiting' || answer.event !== 'browserReturned') return true;
    if (holds(answer, 'fromAnotherBrowser')) return does(answer, 'awaiting', reject('another_browser'));
    return does(answer, 'awaiting', reject('external_sign_in_unanswered'));
  }),
  everyAnswer('what was answered stays answered', (answer) => {
    if (answer.state !== 'answered' || answer.event === 'browserReturned') return true;
    return does(answer, 'answered', reject('external_sign_in_answered'));
  }),
  everyAnswer('nothing leads out of what was denied or used; another browser learns nothing of it', (answer) => {
    if (answer.state !== 'denied' && answer.state !== 'used') return true;
    const reason = answer.state === 'denied' ? 'external_sign_in_denied' : 'external_sign_in_used';
    const isAnother = answer.event === 'browserReturned' && holds(answer, 'fromAnotherBrowser');
    return does(answer, answer.state, reject(isAnother ? 'another_browser' : reason));
  }),
];
