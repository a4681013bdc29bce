/** The document of a client: fetched where it is named and not fresh, stored where it is valid, and without power over vetted clients. */
import type { Answer } from '../answers.ts';
import { allFail, does, everyAnswer, hasAny, holds, type Law, reject } from './law.ts';

/** In the order of the guards. */
const FOREIGN = [
  ['isVetted', 'useClient'],
  ['isDeleted', reject('document_client_deleted')],
  ['originIsNotAllowed', reject('document_origin_refused')],
] as const;
const isOurs = (answer: Answer): boolean => allFail(answer, ...FOREIGN.map(([guard]) => guard));
const decides = ({ event }: Answer): boolean => event === 'named' || event === 'described';

export const lawsOfClientDocument: readonly Law[] = [
  everyAnswer('a vetted client, a deleted one, and one of another origin have their answer first', (answer) => {
    if (!decides(answer)) return true;
    const first = FOREIGN.find(([guard]) => holds(answer, guard));
    return first === undefined || does(answer, answer.state, first[1]);
  }),
  everyAnswer('only a valid document describes a client, and it is stored in the same step', (answer) => {
    const describes = hasAny(answer, ['describeClient', 'keepDocument']);
    if (answer.event !== 'described' || !isOurs(answer)) return !describes;
    const isFull = answer.state === 'unseen' && holds(answer, 'tooManyAreStored');
    if (holds(answer, 'dropsAuthentication') || isFull) return !describes;
    return does(answer, 'known', 'keepDocument', 'describeClient');
  }),
  everyAnswer('a full table takes no further document', (answer) => {
    if (answer.event !== 'described' || !isOurs(answer) || holds(answer, 'dropsAuthentication')) return true;
    if (answer.state !== 'unseen' || !holds(answer, 'tooManyAreStored')) return true;
    return does(answer, 'unseen', reject('too_many_client_documents'));
  }),
  everyAnswer('a client that had a key is not described without one', (answer) => {
    if (answer.event !== 'described' || !isOurs(answer) || !holds(answer, 'dropsAuthentication')) return true;
    const rejection = reject('document_drops_key');
    return answer.state === 'unseen'
      ? does(answer, 'unseen', rejection)
      : does(answer, 'refused', 'refuseDocument', rejection);
  }),
  everyAnswer('the origin is asked exactly for a name without a fresh document, and not after a failure', (answer) => {
    if (answer.event !== 'named' || !isOurs(answer)) return !hasAny(answer, ['fetchDocument']);
    if (answer.state === 'known')
      return does(answer, 'known', holds(answer, 'isFresh') ? 'useClient' : 'fetchDocument');
    if (!holds(answer, 'hasJustFailed')) return does(answer, answer.state, 'fetchDocument');
    return answer.state === 'stale' && holds(answer, 'isUsable')
      ? does(answer, 'stale', 'useClient')
      : does(answer, answer.state, reject('document_failed_before'));
  }),
  everyAnswer('without its origin, a document counts for a while and then not', (answer) => {
    if (answer.event !== 'unreachable') return !hasAny(answer, ['markStale']);
    if (answer.state === 'unseen') return does(answer, 'unseen', reject('document_unreachable'));
    return answer.state !== 'refused' && holds(answer, 'isUsable')
      ? does(answer, 'stale', 'markStale', 'useClient')
      : does(answer, 'refused', 'refuseDocument', reject('document_unreachable'));
  }),
  everyAnswer('a broken document counts for nothing', (answer) => {
    if (answer.event !== 'malformed') return true;
    return answer.state === 'unseen'
      ? does(answer, 'unseen', reject('document_malformed'))
      : does(answer, 'refused', 'refuseDocument', reject('document_malformed'));
  }),
  everyAnswer('a refused document counts only after a valid one has come', (answer) =>
    answer.state !== 'refused' || answer.next === 'known'
      ? true
      : !hasAny(answer, ['useClient']) || holds(answer, 'isVetted'),
  ),
];
