/**
 * The link in an e-mail. It is used once, in time, for the account that it was sent for. It is never used after another link of its
 * purpose, a new password or another address. The end-user's machine decides its effect on the account. An undo outlives all
 * of that but its own use.
 */
import type { EmailChallengeRejectReason } from '../../../../machines/email-challenge/facts.ts';
import type { Answer } from '../answers.ts';
import {
  allFail,
  changeUser,
  does,
  everyAnswer,
  hasAny,
  holds,
  type Law,
  reject,
  rejectsInThisOrder,
  supersedeLink,
} from './law.ts';

const REJECTING: readonly (readonly [guard: string, reason: EmailChallengeRejectReason])[] = [
  ['expired', 'link_expired'],
  ['isNotOffered', 'not_offered'],
  ['userEnded', 'user_ended'],
  ['passwordChanged', 'password_changed'],
  ['addressDiffers', 'address_mismatch'],
  ['passwordIsFromMail', 'password_from_mail'],
  ['passwordIsMissing', 'password_not_proven'],
  ['usernameIsTaken', 'username_taken'],
  ['addressIsTaken', 'address_taken'],
  ['makesNoAccount', 'not_offered'],
  ['passkeyIsNotOffered', 'passkey_not_offered'],
  ['passkeyIsRegistered', 'passkey_is_registered'],
];

/** The effects of each purpose, behind those of every use. The last has no guard: the account is made. */
const USES: readonly (readonly [guard: string | null, ...effects: string[]])[] = [
  ['verifiesAddress', changeUser('addressVerified')],
  ['resetsPassword', changeUser('passwordReset')],
  ['changesAddress', 'offerUndo', changeUser('addressChanged')],
  ['undoesChange', 'supersedeLater', changeUser('addressRestored')],
  ['removesFactors', changeUser('factorsLost')],
  [null, changeUser('registrationRequested')],
];

/** The objections to each event of a use. */
const OBJECTIONS: Readonly<Record<string, readonly string[]>> = {
  used: [
    'expired',
    'isNotOffered',
    'userEnded',
    'passwordChanged',
    'addressDiffers',
    'passwordIsFromMail',
    'passwordIsMissing',
    'usernameIsTaken',
    'addressIsTaken',
  ],
  usedWithPasskey: [
    'expired',
    'isNotOffered',
    'usernameIsTaken',
    'addressIsTaken',
    'makesNoAccount',
    'passkeyIsNotOffered',
    'passkeyIsRegistered',
  ],
};

const mayBeUsed = (answer: Answer): boolean => {
  const objections = OBJECTIONS[answer.event];
  return answer.state === 'active' && objections !== undefined && allFail(answer, ...objections);
};

/** `expected` comes of this event in `active`, and of no other. */
const onlyInActive =
  (event: Answer['event'], ...effects: readonly string[]) =>
  (answer: Answer): boolean =>
    answer.event !== event ||
    (answer.state === 'active' ? does(answer, 'superseded', ...effects) : does(answer, answer.state));

export const lawsOfEmailChallenge: readonly Law[] = [
  everyAnswer(
    'the objections to a link are answered in this order, and nothing changes',
    rejectsInThisOrder(...REJECTING),
  ),
  everyAnswer('a link is used once, for what it was sent for, when nothing speaks against it', (answer) => {
    if (!mayBeUsed(answer))
      return !hasAny(answer, ['useLink', 'changeUser', 'offerUndo', 'addPasskey']) && answer.next !== reached(answer);
    if (answer.event === 'usedWithPasskey')
      return does(answer, 'used', 'useLink', 'supersedeOthers', changeUser('registrationRequested'), 'addPasskey');
    const use = USES.find(([guard]) => guard === null || holds(answer, guard));
    if (use === undefined) return false;
    const [guard, ...effects] = use;
    // Another change of the address has an undo of its own.
    const others = guard === 'undoesChange' ? [] : ['supersedeOthers'];
    return does(answer, 'used', 'useLink', ...others, ...effects);
  }),
  everyAnswer('a link is sent once, to the address of a user who may sign in', (answer) => {
    const isSent =
      answer.state === 'unsent' &&
      answer.event === 'requested' &&
      allFail(answer, 'isNotOffered', 'userEnded', 'addressDiffers', 'passwordIsFromMail', 'passwordIsMissing');
    const isElsewhere = answer.state !== 'unsent' && answer.event === 'requested';
    if (isElsewhere) return does(answer, answer.state);
    if (!isSent) return !hasAny(answer, ['sendLink']);
    // No newer change of the address ends the undo of an older one.
    return does(answer, 'active', 'sendLink', ...(holds(answer, 'undoesChange') ? [] : ['overtakeOlder']));
  }),
  everyAnswer(
    'a newer link to another address ends it, and so do too many newer links; otherwise it stays',
    (answer) => {
      if (answer.event !== 'overtaken') return !hasAny(answer, ['countNewerLink']);
      if (answer.state !== 'active') return does(answer, answer.state);
      return allFail(answer, 'newerGoesElsewhere', 'isOutnumbered')
        ? does(answer, 'active', 'countNewerLink', 'overtakeOlder')
        : does(answer, 'superseded', supersedeLink('newer_link_sent'), 'overtakeOlder');
    },
  ),
  everyAnswer(
    'the use of another link of the same purpose ends it, and continues with the next',
    onlyInActive('otherUsed', supersedeLink('another_link_used'), 'supersedeOthers'),
  ),
  everyAnswer('an administrator ends it', onlyInActive('withdrawn', supersedeLink('withdrawn'))),
  everyAnswer(
    'undoing an older change ends it, and continues with the next',
    onlyInActive('undone', supersedeLink('change_undone'), 'supersedeLater'),
  ),
  everyAnswer('an ineffective link is answered with its reason, and nothing changes', (answer) => {
    const reasons: Readonly<Record<string, EmailChallengeRejectReason>> = {
      unsent: 'link_unknown',
      used: 'link_used',
      superseded: 'link_superseded',
    };
    const reason = reasons[answer.state];
    return OBJECTIONS[answer.event] === undefined || reason === undefined || does(answer, answer.state, reject(reason));
  }),
];

/** No answer but a use leads to `used` from another state. */
const reached = ({ state }: Answer): string | null => (state === 'used' ? null : 'used');
