/**
 * The end-user's registration. Disabling, a new password and a deletion end everything that was allowed before; enabling revives nothing.
 * A deleted user stays deleted.
 */
import type { RejectReason } from '../../../../machines/unions.ts';
import type { UserEvent } from '../../../../machines/user/facts.ts';
import type { Answer } from '../answers.ts';
import {
  allFail,
  does,
  everyAnswer,
  has,
  hasAny,
  holds,
  type Law,
  nameOf,
  raiseEpoch,
  reject,
  rejectsInThisOrder,
} from './law.ts';

const REJECTING: readonly (readonly [guard: string, reason: RejectReason])[] = [
  ['expectationFails', 'changed_meanwhile'],
  ['usernameIsTaken', 'username_taken'],
  ['addressIsTaken', 'address_taken'],
];

type FromLink = 'addressVerified' | 'addressChanged' | 'addressRestored' | 'passwordReset' | 'factorsLost';

type Change = readonly [next: string, ...effects: string[]];

/** The result of each other event, by the state before it. The compiler checks that every event is listed. */
const CHANGES: Readonly<
  Record<
    Exclude<UserEvent['type'], 'registrationRequested' | 'passwordRehashed' | FromLink>,
    Readonly<Record<'enabled' | 'disabled', Change>>
  >
> = {
  passwordChangeRequested: {
    enabled: ['enabled', 'replacePassword', raiseEpoch('user')],
    disabled: ['disabled', reject('changed_meanwhile')],
  },
  disableRequested: { enabled: ['disabled', 'disableUser', raiseEpoch('user')], disabled: ['disabled'] },
  enableRequested: { enabled: ['enabled'], disabled: ['enabled', 'enableUser'] },
  deletionRequested: {
    enabled: ['deleted', 'eraseUser', raiseEpoch('user')],
    disabled: ['deleted', 'eraseUser', raiseEpoch('user')],
  },
};

/** The effect of a link in an e-mail on the account of a user who may sign in. The compiler checks that every event is listed. */
const LINKS: Readonly<Record<FromLink, readonly string[]>> = {
  addressVerified: ['writeAddress'],
  addressChanged: ['writeAddress'],
  addressRestored: ['writeAddress', raiseEpoch('user')],
  passwordReset: ['replacePassword', raiseEpoch('user')],
  factorsLost: [raiseEpoch('user')],
};
const fromLink = ({ event }: Answer): readonly string[] | null =>
  Object.hasOwn(LINKS, event) ? LINKS[event as FromLink] : null;

const isThere = (answer: Answer): answer is Answer & { readonly state: 'enabled' | 'disabled' } =>
  answer.state === 'enabled' || answer.state === 'disabled';
const isRejected = (answer: Answer): boolean => REJECTING.some(([guard]) => holds(answer, guard));

export const lawsOfUser: readonly Law[] = [
  everyAnswer(
    'the objections to a change are answered in this order, and nothing changes',
    rejectsInThisOrder(...REJECTING),
  ),
  everyAnswer('only a registration makes an end-user, who may sign in immediately', (answer) => {
    const isNew = answer.state === 'unregistered' && answer.event === 'registrationRequested';
    const makes = isNew && allFail(answer, ...REJECTING.map(([guard]) => guard));
    return makes ? does(answer, 'enabled', 'registerUser') : !has(answer, 'registerUser');
  }),
  everyAnswer(
    'a record that differs replaces what is stored, and a new password ends sessions and grants',
    (answer) => {
      const isChange = isThere(answer) && answer.event === 'registrationRequested';
      const replaces = isChange && allFail(answer, ...REJECTING.map(([guard]) => guard), 'nothingDiffers');
      if (!replaces) return !has(answer, 'replaceRecord');
      const ends = allFail(answer, 'passwordDiffers') ? [] : [raiseEpoch('user')];
      return does(answer, answer.state, 'replaceRecord', ...ends);
    },
  ),
  everyAnswer(
    'the same record again changes nothing',
    (answer) => isRejected(answer) || !holds(answer, 'nothingDiffers') || does(answer, answer.state),
  ),
  everyAnswer('every other event does what it says; what ended stays ended', (answer) => {
    if (!isThere(answer) || answer.event === 'registrationRequested' || answer.event === 'passwordRehashed')
      return true;
    if (fromLink(answer)) return true;
    const [next, ...effects] = CHANGES[answer.event as keyof typeof CHANGES][answer.state];
    if (allFail(answer, 'expectationFails')) return does(answer, next, ...effects);
    return (
      answer.next === answer.state &&
      !hasAny(
        answer,
        effects.map(nameOf).filter((effect) => effect !== 'reject'),
      )
    );
  }),
  everyAnswer('a link in an e-mail changes the account of a user who may sign in, and of no other user', (answer) => {
    const effects = fromLink(answer);
    if (effects === null) return !hasAny(answer, ['writeAddress']);
    if (answer.state === 'enabled') return does(answer, 'enabled', ...effects);
    return answer.state !== 'disabled' || does(answer, 'disabled', reject('user_ended'));
  }),
  everyAnswer(
    'only the hash that the password was checked against is replaced, and no session ends by that',
    (answer) => {
      if (!isThere(answer) || answer.event !== 'passwordRehashed') return !has(answer, 'replacePasswordHash');
      const replaces = answer.state === 'enabled' && allFail(answer, 'hashIsAnother');
      return does(answer, answer.state, ...(replaces ? ['replacePasswordHash'] : []));
    },
  ),
  everyAnswer('about an end-user who was deleted, or never registered, there is nothing to change', (answer) => {
    const isNoUser =
      answer.state === 'deleted' || (answer.state === 'unregistered' && answer.event !== 'registrationRequested');
    return !isNoUser || does(answer, answer.state, reject('user_unknown'));
  }),
];
