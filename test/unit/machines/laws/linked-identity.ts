/** The linked identity. A removed one stays removed; the end-user keeps a way to sign in, and an administrator may take the last. */
import type { IdentityRemovalReason } from '../../../../machines/linked-identity/facts.ts';
import { does, everyAnswer, has, hasAny, holds, type Law, reject } from './law.ts';

const removeIdentity = (reason: IdentityRemovalReason): string => `removeIdentity(${reason})`;

export const lawsOfLinkedIdentity: readonly Law[] = [
  everyAnswer('only a link stores an identity, and only where none is', (answer) => {
    const links = answer.state === 'unlinked' && answer.event === 'linkRequested';
    return links ? does(answer, 'active', 'storeIdentity') : !has(answer, 'storeIdentity');
  }),
  everyAnswer('the end-user removes an identity unless it is the last way to sign in', (answer) => {
    if (answer.state !== 'active' || answer.event !== 'removalRequested') return true;
    return holds(answer, 'isLastWay')
      ? does(answer, 'active', reject('last_way_to_sign_in'))
      : does(answer, 'removed', removeIdentity('removed_by_user'));
  }),
  everyAnswer('an administrator and a deletion remove it whatever else there is', (answer) => {
    if (answer.state !== 'active') return !hasAny(answer, ['removeIdentity']);
    if (answer.event === 'removalRequestedByAdministrator') {
      return does(answer, 'removed', removeIdentity('removed_by_administrator'));
    }
    return answer.event !== 'userDeleted' || does(answer, 'removed', removeIdentity('user_deleted'));
  }),
  everyAnswer(
    'a link that is there stays as it is',
    (answer) => answer.state !== 'active' || answer.event !== 'linkRequested' || does(answer, 'active'),
  ),
  everyAnswer(
    'what was never linked cannot be removed',
    (answer) =>
      answer.state !== 'unlinked' ||
      answer.event === 'linkRequested' ||
      does(answer, 'unlinked', reject('identity_unknown')),
  ),
  everyAnswer('what was removed stays removed', (answer) => {
    if (answer.state !== 'removed') return true;
    return answer.event === 'linkRequested'
      ? does(answer, 'removed', reject('identity_removed'))
      : does(answer, 'removed');
  }),
];
