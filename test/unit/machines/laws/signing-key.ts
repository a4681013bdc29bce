/**
 * The signing key. "The signer" is the one key of an algorithm that signs; "its successor" is the key of the same algorithm that waits.
 * A signer ends in two ways: it stops (its time has expired, or a rotation was requested) or it is revoked. Either way the successor
 * begins in the same decision, and is created before where none waits.
 */
import type { Answer } from '../answers.ts';
import { does, everyAnswer, exactlyWhen, has, hasAny, holds, type Law } from './law.ts';

const REVOKE = 'retire(revocation_requested)';
const EXPIRE = 'retire(tokens_expired)';
const ACTS = [
  'publish',
  'beginSigning',
  'stopSigning',
  'retire',
  'createSuccessor',
  'startSuccessor',
  'hastenHandover',
];

const isAt = ({ state, event }: Answer, at: string, ...events: readonly string[]): boolean =>
  state === at && events.includes(event);

const isFirst = (answer: Answer): boolean => isAt(answer, 'unpublished', 'noKeySigns') && holds(answer, 'noOtherSigns');

/** The successor takes over, or the algorithm is not wanted any more. */
const stops = (answer: Answer): boolean =>
  (isAt(answer, 'signing', 'timePassed') &&
    (holds(answer, 'handoverIsDue') || holds(answer, 'endsWithoutSuccessor'))) ||
  (isAt(answer, 'signing', 'rotationRequested') &&
    (holds(answer, 'successorMaySign') || holds(answer, 'rotationIsAtOnce')));

const isRevoked = ({ state, event }: Answer): boolean =>
  event === 'revocationRequested' && ['published', 'signing', 'retiring'].includes(state);

export const lawsOfSigningKey: readonly Law[] = [
  everyAnswer(
    'a key is published exactly when it is fresh, and is the first of its algorithm or a successor that is needed',
    (answer) => {
      if (isFirst(answer)) return does(answer, 'signing', 'publish', 'beginSigning');
      return exactlyWhen(isAt(answer, 'unpublished', 'successorNeeded'), answer, 'published', 'publish');
    },
  ),
  everyAnswer(
    'a key begins to sign exactly when it is the first, or waits and the signer stopped, or waits and none signs',
    (answer) => {
      if (isFirst(answer)) return has(answer, 'beginSigning');
      const isUnsigned = isAt(answer, 'published', 'timePassed') && holds(answer, 'noOtherSigns');
      const begins = isUnsigned || isAt(answer, 'published', 'signerStopped');
      return exactlyWhen(begins, answer, 'signing', 'beginSigning');
    },
  ),
  everyAnswer(
    'a signer stops exactly when its time is over and a successor is ready or none is wanted, or a rotation need not wait',
    (answer) =>
      stops(answer) ? answer.next === 'retiring' && has(answer, 'stopSigning') : !has(answer, 'stopSigning'),
  ),
  everyAnswer(
    'what ends a signer starts its successor, created before where none waits; only an unwanted algorithm ends with its last key',
    (answer) => {
      if (stops(answer)) return does(answer, 'retiring', ...aroundTheEnd(answer, 'stopSigning'));
      if (answer.state === 'signing' && isRevoked(answer))
        return does(answer, 'retired', ...aroundTheEnd(answer, REVOKE));
      return !has(answer, 'startSuccessor');
    },
  ),
  everyAnswer(
    'a signer that continues creates a successor in time or on request, never two, and does nothing else',
    (answer) => {
      const resumption = answer.state === 'signing' && !stops(answer) && !isRevoked(answer);
      return !resumption || does(answer, 'signing', ...preparations(answer));
    },
  ),
  everyAnswer(
    'a key is revoked exactly when that is requested and it is in the JWKS, and then it retires immediately',
    (answer) => {
      if (answer.state === 'signing' && isRevoked(answer)) return answer.next === 'retired' && has(answer, REVOKE);
      return exactlyWhen(isRevoked(answer), answer, 'retired', REVOKE);
    },
  ),
  everyAnswer('a key retires by itself exactly when it is retiring and its last token has expired', (answer) =>
    exactlyWhen(
      isAt(answer, 'retiring', 'timePassed') && holds(answer, 'lastTokenHasExpired'),
      answer,
      'retired',
      EXPIRE,
    ),
  ),
  everyAnswer('a key whose row is not there yet is only ever published: nothing else moves it', (answer) => {
    const isPublished = isFirst(answer) || answer.event === 'successorNeeded';
    return answer.state !== 'unpublished' || isPublished || does(answer, 'unpublished');
  }),
  everyAnswer(
    'every other event changes nothing of a key',
    (answer) => hasAny(answer, ACTS) || does(answer, answer.state),
  ),
];

/** The parts of a signer's end, in this order. */
function aroundTheEnd(answer: Answer, end: string): readonly string[] {
  if (answer.event === 'timePassed') return holds(answer, 'handoverIsDue') ? [end, 'startSuccessor'] : [end];
  const waits = answer.event === 'revocationRequested' ? 'successorIsPublished' : 'successorMaySign';
  return holds(answer, waits) ? [end, 'startSuccessor'] : ['createSuccessor', end, 'startSuccessor'];
}

/** The work of a continuing signer for its successor. */
function preparations(answer: Answer): readonly string[] {
  if (answer.event === 'timePassed') return holds(answer, 'successorIsNeeded') ? ['createSuccessor'] : [];
  if (answer.event !== 'rotationRequested' || holds(answer, 'handoverIsComing')) return [];
  return holds(answer, 'successorIsPublished') ? ['hastenHandover'] : ['createSuccessor', 'hastenHandover'];
}
