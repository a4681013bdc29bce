/**
 * The session. Only `used` admits a browser; every other event ends the session. An ended one admits no browser, and answers with the
 * reason: first a raised epoch, then the stored reason, and without either its expiry.
 */

import type { SessionEndReason, SessionEvent } from '../../../../machines/session/facts.ts';
import type { RejectReason } from '../../../../machines/unions.ts';
import type { Answer } from '../answers.ts';
import { allFail, does, everyAnswer, hasAny, holds, type Law, raiseEpoch, reject, rejectsInThisOrder } from './law.ts';

const endSession = (reason: SessionEndReason): string => `endSession(${reason})`;

/** The compiler asks for every event. `used`, `factorAdded`: the time decides. `signedIn`: the beginning. */
const ENDS_BY: Readonly<Record<Exclude<SessionEvent['type'], 'used' | 'signedIn' | 'factorAdded'>, string>> = {
  signOutRequested: endSession('signed_out'),
  endRequested: endSession('ended_by_user'),
  endRequestedByAdministrator: endSession('ended_by_administrator'),
  signedInAgain: endSession('signed_in_again'),
  userDisabled: raiseEpoch('user'),
  passwordChanged: raiseEpoch('user'),
  serverRecovered: raiseEpoch('server'),
};

const ENDED: readonly (readonly [guard: string, reason: RejectReason])[] = [
  ['endedByUser', 'user_ended'],
  ['endedByServer', 'server_epoch_raised'],
  ['signedOut', 'signed_out'],
  ['endedFromList', 'ended_by_user'],
  ['endedByAdministrator', 'ended_by_administrator'],
  ['replaced', 'signed_in_again'],
  ['endedWithoutFactor', 'second_factor_missing'],
  ['idledOut', 'session_idle'],
];

const isAsked = ({ event }: Answer): boolean => event === 'used' || event === 'factorAdded';
const isUsed = (answer: Answer, state: string): boolean => answer.state === state && answer.event === 'used';
const isAdded = (answer: Answer, state: string): boolean => answer.state === state && answer.event === 'factorAdded';

export const lawsOfSession: readonly Law[] = [
  everyAnswer(
    'a browser is admitted exactly when its session is used while active, not too old and not idle; the use is recorded when it is due; or when a factor is added in time',
    (answer) => {
      if (isAdded(answer, 'active') && allFail(answer, 'tooOld', 'idle', 'factorIsGone'))
        return does(answer, 'active', 'addFactor', 'admit');
      if (isAdded(answer, 'awaitingSecondFactor') && allFail(answer, 'tooOld', 'waitedTooLong', 'factorIsGone'))
        return does(answer, 'active', 'addFactor', 'admit');
      const isInTime = isUsed(answer, 'active') && allFail(answer, 'tooOld', 'idle');
      if (!isInTime) return !hasAny(answer, ['admit', 'recordUse', 'addFactor']);
      return does(answer, 'active', ...(holds(answer, 'useIsDue') ? ['recordUse', 'admit'] : ['admit']));
    },
  ),
  everyAnswer('a sign-in begins as active exactly when nothing that is demanded is missing', (answer) => {
    const begins =
      answer.event === 'signedIn' && answer.state === 'awaitingSecondFactor' && allFail(answer, 'factorIsMissing');
    return begins ? does(answer, 'active', 'beginSession') : !hasAny(answer, ['beginSession']);
  }),
  everyAnswer('where a factor is missing at the sign-in, it is awaited, and nothing else happens', (answer) =>
    answer.event === 'signedIn' && !hasAny(answer, ['beginSession']) ? does(answer, answer.state) : true,
  ),
  everyAnswer('a factor that was removed adds nothing, and ends nothing', (answer) => {
    const other = answer.state === 'active' ? 'idle' : 'waitedTooLong';
    const isGone = answer.event === 'factorAdded' && answer.state !== 'ended' && holds(answer, 'factorIsGone');
    return isGone && allFail(answer, 'tooOld', other) ? does(answer, answer.state, reject('factor_removed')) : true;
  }),
  everyAnswer('a session that awaits its factor admits no browser', (answer) =>
    isUsed(answer, 'awaitingSecondFactor') && allFail(answer, 'tooOld', 'waitedTooLong')
      ? does(answer, 'awaitingSecondFactor', reject('second_factor_required'))
      : true,
  ),
  everyAnswer('a session that is used too late ends with that reason, and is too old before it is idle', (answer) => {
    if (answer.state === 'ended' || !isAsked(answer)) return true;
    const other = answer.state === 'active' ? 'idle' : 'waitedTooLong';
    if (allFail(answer, 'tooOld', other)) return true;
    const late = other === 'idle' ? 'session_idle' : 'second_factor_missing';
    const reason = holds(answer, 'tooOld') ? 'session_too_old' : late;
    return does(answer, 'ended', endSession(reason), reject(reason));
  }),
  everyAnswer('every other event ends a session, with the reason or the epoch of that event', (answer) => {
    if (answer.state === 'ended' || isAsked(answer) || answer.event === 'signedIn') return true;
    return does(answer, 'ended', ENDS_BY[answer.event as keyof typeof ENDS_BY]);
  }),
  everyAnswer('an ended session says what ended it', rejectsInThisOrder(...ENDED)),
  everyAnswer('an ended session that neither an epoch nor an event ended was too old', (answer) => {
    const hasOtherReason = !allFail(answer, ...ENDED.map(([guard]) => guard));
    return (
      answer.state !== 'ended' || !isAsked(answer) || hasOtherReason || does(answer, 'ended', reject('session_too_old'))
    );
  }),
  everyAnswer('nothing else happens to an ended session: the first reason stays', (answer) => {
    if (answer.state !== 'ended' || isAsked(answer)) return true;
    return does(answer, 'ended');
  }),
];
