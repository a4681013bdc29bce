/**
 * The session. Only `used` admits a browser; every other event ends the session. What has ended admits no more, and tells the browser
 * why: first an epoch that moved on, then the reason that the row holds, and without either that its time is over.
 */
import type { RejectReason, SessionEndReason, SessionEvent } from '../../../../machines/vocabulary.ts';
import type { Answer } from '../answers.ts';
import { allFail, does, everyAnswer, hasAny, holds, type Law, raiseEpoch, reject, rejectsInThisOrder } from './law.ts';

const endSession = (reason: SessionEndReason): string => `endSession(${reason})`;

/** The compiler asks for every event. `used`: the time decides. */
const ENDS_BY: Readonly<Record<Exclude<SessionEvent['type'], 'used'>, string>> = {
  signOutRequested: endSession('signed_out'),
  endRequested: endSession('ended_by_user'),
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
  ['replaced', 'signed_in_again'],
  ['idledOut', 'session_idle'],
];

const isUsed = (answer: Answer, state: string): boolean => answer.state === state && answer.event === 'used';

export const lawsOfSession: readonly Law[] = [
  everyAnswer(
    'a browser is admitted exactly when its session is used while active, not too old and not idle; the use is recorded when it is due',
    (answer) => {
      const isInTime = isUsed(answer, 'active') && allFail(answer, 'tooOld', 'idle');
      if (!isInTime) return !hasAny(answer, ['admit', 'recordUse']);
      return does(answer, 'active', ...(holds(answer, 'useIsDue') ? ['recordUse', 'admit'] : ['admit']));
    },
  ),
  everyAnswer('a session that is used too late ends with that reason, and is too old before it is idle', (answer) => {
    if (!isUsed(answer, 'active') || allFail(answer, 'tooOld', 'idle')) return true;
    const reason = holds(answer, 'tooOld') ? 'session_too_old' : 'session_idle';
    return does(answer, 'ended', endSession(reason), reject(reason));
  }),
  everyAnswer('every other event ends an active session, with the reason or the epoch of that event', (answer) => {
    if (answer.state !== 'active' || answer.event === 'used') return true;
    return does(answer, 'ended', ENDS_BY[answer.event as keyof typeof ENDS_BY]);
  }),
  everyAnswer('an ended session says what ended it', rejectsInThisOrder(...ENDED)),
  everyAnswer('an ended session that neither an epoch nor an event ended was too old', (answer) => {
    const hasOtherReason = !allFail(answer, ...ENDED.map(([guard]) => guard));
    return !isUsed(answer, 'ended') || hasOtherReason || does(answer, 'ended', reject('session_too_old'));
  }),
  everyAnswer('nothing else happens to an ended session: the first reason stays', (answer) => {
    if (answer.state !== 'ended' || answer.event === 'used') return true;
    return does(answer, 'ended');
  }),
];
