/** The delivery of an event. A confirmed one is never dead-lettered, a dead-lettered one can be redelivered, and none is attempted before its time. */
import type { AbandonReason } from '../../../../machines/webhook-delivery/facts.ts';
import { does, everyAnswer, hasAny, holds, type Law } from './law.ts';

const abandonDelivery = (reason: AbandonReason): string => `abandonDelivery(${reason})`;

export const lawsOfWebhookDelivery: readonly Law[] = [
  everyAnswer(
    'only a pending delivery that is due and has an attempt left is claimed, and it stays pending',
    (answer) => {
      if (answer.event !== 'claimed') return !hasAny(answer, ['claimDelivery']);
      if (answer.state !== 'pending' || holds(answer, 'notDue')) return does(answer, answer.state);
      return holds(answer, 'attemptsUsedUp')
        ? does(answer, 'abandoned', abandonDelivery('attempts_used_up'))
        : does(answer, 'pending', 'claimDelivery');
    },
  ),
  everyAnswer('an event that its receiver has confirmed is delivered, whatever was decided meanwhile', (answer) => {
    if (answer.event !== 'succeeded') return !hasAny(answer, ['recordDelivery']);
    return answer.state === 'delivered' ? does(answer, 'delivered') : does(answer, 'delivered', 'recordDelivery');
  }),
  everyAnswer('a failure counts only for the attempt that was claimed last', (answer) => {
    if (answer.event !== 'failed' || answer.state !== 'pending') return true;
    if (holds(answer, 'overtaken')) return does(answer, 'pending');
    if (holds(answer, 'attemptsUsedUp')) return does(answer, 'abandoned', abandonDelivery('attempts_used_up'));
    if (holds(answer, 'tooOld')) return does(answer, 'abandoned', abandonDelivery('too_old'));
    return does(answer, 'pending', 'retryDelivery');
  }),
  everyAnswer('a receiver that is gone or removed gets nothing more', (answer) => {
    if (answer.state !== 'pending') return true;
    if (answer.event === 'goneAnswered') return does(answer, 'abandoned', abandonDelivery('receiver_gone'));
    return answer.event !== 'receiverRemoved' || does(answer, 'abandoned', abandonDelivery('receiver_removed'));
  }),
  everyAnswer('only an operator has it sent again, from every state', (answer) =>
    answer.event === 'repeatRequested'
      ? does(answer, 'pending', 'repeatDelivery')
      : answer.state === 'pending' || answer.next !== 'pending',
  ),
  everyAnswer('what has ended is neither tried nor given up again', (answer) => {
    if (answer.state === 'pending' || ['repeatRequested', 'succeeded'].includes(answer.event)) return true;
    return does(answer, answer.state);
  }),
];
