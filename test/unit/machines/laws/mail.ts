/** The mail. An accepted mail is sent, an ended mail is not attempted again, and no mail is attempted before or after its time. */
import type { DropReason } from '../../../../machines/mail/facts.ts';
import { does, everyAnswer, hasAny, holds, type Law } from './law.ts';

const dropMail = (reason: DropReason): string => `dropMail(${reason})`;

export const lawsOfMail: readonly Law[] = [
  everyAnswer(
    'only a pending mail that is due, with an attempt and time left, is claimed, and stays pending',
    (answer) => {
      if (answer.event !== 'claimed') return !hasAny(answer, ['claimDelivery']);
      if (answer.state !== 'pending' || holds(answer, 'notDue')) return does(answer, answer.state);
      if (holds(answer, 'attemptsUsedUp')) return does(answer, 'dropped', dropMail('attempts_used_up'));
      if (holds(answer, 'tooOld')) return does(answer, 'dropped', dropMail('too_old'));
      return does(answer, 'pending', 'claimDelivery');
    },
  ),
  everyAnswer('a mail that the relay accepted is sent, whatever was decided meanwhile', (answer) => {
    if (answer.event !== 'succeeded') return !hasAny(answer, ['recordDelivery']);
    return answer.state === 'sent' ? does(answer, 'sent') : does(answer, 'sent', 'recordDelivery');
  }),
  everyAnswer('a failure counts only for the attempt that was claimed last', (answer) => {
    if (answer.event !== 'failed' || answer.state !== 'pending') return true;
    if (holds(answer, 'overtaken')) return does(answer, 'pending');
    if (holds(answer, 'attemptsUsedUp')) return does(answer, 'dropped', dropMail('attempts_used_up'));
    if (holds(answer, 'tooOld')) return does(answer, 'dropped', dropMail('too_old'));
    return does(answer, 'pending', 'retryDelivery');
  }),
  everyAnswer('a mail that the relay refused for good, or that lost its place, is dropped', (answer) => {
    if (answer.state !== 'pending') return true;
    if (answer.event === 'refused') return does(answer, 'dropped', dropMail('refused'));
    return answer.event !== 'displaced' || does(answer, 'dropped', dropMail('queue_full'));
  }),
  everyAnswer('a mail that has ended is neither attempted nor dropped again', (answer) => {
    if (answer.state === 'pending' || answer.event === 'succeeded')
      return answer.state === 'pending' || answer.next === 'sent';
    return does(answer, answer.state);
  }),
];
