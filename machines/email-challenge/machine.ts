/**
 * The link in an e-mail: unsent → active → used, or superseded.
 *
 *               requested                    used (useLink, changeUser)        ┌──────┐
 *   ┌────────┐  (sendLink)  ┌────────┐ ──────────────────────────────────────► │ used │
 *   │ unsent │ ───────────► │ active │                                         └──────┘
 *   └────────┘              └────────┘ ──────────────────────────────────────► ┌────────────┐
 *                                        outnumbered by newer links, another   │ superseded │
 *                                        link used, withdrawn, undone          └────────────┘
 *                                        (supersedeLink)
 *
 * Opening a link is no event: programs that look through mail open every link. The page has a button, and only that uses the link.
 * The change of an account is an event for the end-user's machine, decided and committed together with the use of the link. The
 * server uses the link and changes the account, or does neither.
 *
 * A new account comes with a password (used), or with a passkey (usedWithPasskey, addPasskey). Link, account and passkey are one commit: no account exists
 * that no end-user can enter.
 *
 * A newer link leaves an older link active: otherwise a stranger who requests links ends those of the owner. The use of one ends all
 * others of its purpose. Unused newer links end an older link in two cases: they are too many, or one goes to another address, since
 * the older address may have been a mistake.
 *
 * A link that undoes a change of the address outlives newer links and a new password. Otherwise a thief could change address and
 * password twice and shut the owner out. Its use ends all links that were sent later, those of the thief among them.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram email-challenge` (`--format json`).
 */
import { or, setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { changeUser, emailChallengeEffects, supersedeLink } from './effects.ts';
import type { EmailChallengeContext, EmailChallengeEvent } from './facts.ts';
import { emailChallengeGuards } from './guards.ts';

const expired = {
  guard: 'expired',
  actions: reject('link_expired'),
  description: 'Too late.',
  meta: { spec: 'NIST SP 800-63B-4 §4.2' },
} as const satisfies SharedArm;

const usernameIsTaken = {
  guard: 'usernameIsTaken',
  actions: reject('username_taken'),
  description: 'Another end-user has the chosen username; the link stays valid.',
} as const satisfies SharedArm;

const addressIsTaken = {
  guard: 'addressIsTaken',
  actions: reject('address_taken'),
  description: 'Another end-user signs in by this address, or has it as the username; the link stays valid.',
} as const satisfies SharedArm;

const isNotOffered = {
  guard: 'isNotOffered',
  actions: reject('not_offered'),
  description: 'The current policy does not offer such a link.',
} as const satisfies SharedArm;

const userEnded = {
  guard: 'userEnded',
  actions: reject('user_ended'),
  description: 'The end-user was disabled or deleted.',
} as const satisfies SharedArm;

const addressDiffers = {
  guard: 'addressDiffers',
  actions: reject('address_mismatch'),
  description: 'The account has another address, or one that is not verified where it has to be.',
  meta: { spec: 'NIST SP 800-63B-4 §4.2' },
} as const satisfies SharedArm;

const passwordIsFromMail = {
  guard: 'passwordIsFromMail',
  actions: reject('password_from_mail'),
  description: 'A link in a mail has set the password: the mailbox alone removes no factor.',
  meta: { spec: 'NIST SP 800-63B-4 §4.2.2' },
} as const satisfies SharedArm;

const passwordIsMissing = {
  guard: 'passwordIsMissing',
  actions: reject('password_not_proven'),
  description: 'The password was not typed in this browser: the mailbox alone removes no factor.',
  meta: { spec: 'NIST SP 800-63B-4 §4.2.2' },
} as const satisfies SharedArm;

const unknown = {
  actions: reject('link_unknown'),
  description: 'No mail has this link.',
} as const satisfies SharedArm;
const usedBefore = {
  actions: reject('link_used'),
  description: 'A second use changes nothing.',
  meta: { spec: 'NIST SP 800-63B-4 §4.2' },
} as const satisfies SharedArm;
const invalid = {
  actions: reject('link_superseded'),
  description: 'Another link was used, newer links were sent, or this link was taken back.',
  meta: { spec: 'NIST SP 800-63B-4 §4.2' },
} as const satisfies SharedArm;
const stayUnsent = { description: 'Nothing was sent.' } as const satisfies SharedArm;
const stayUsed = { description: 'It was used: nothing takes that back.' } as const satisfies SharedArm;
const staySuperseded = { description: 'The link is already invalid.' } as const satisfies SharedArm;

export const emailChallengeMachine = setup({
  types: { context: {} as EmailChallengeContext, events: {} as EmailChallengeEvent, meta: {} as Meta },
  guards: emailChallengeGuards as AtEveryEvent<typeof emailChallengeGuards, EmailChallengeContext, EmailChallengeEvent>,
  actions: emailChallengeEffects,
}).createMachine({
  id: 'emailChallenge',
  context: {} as EmailChallengeContext,
  initial: 'unsent',
  states: {
    unsent: {
      description: 'Nothing is stored, and no mail was sent.',
      on: {
        requested: [
          isNotOffered,
          userEnded,
          addressDiffers,
          passwordIsFromMail,
          passwordIsMissing,
          {
            guard: 'undoesChange',
            target: 'active',
            actions: 'sendLink',
            description: 'To the address from before: each change of the address can be undone by itself.',
            meta: { spec: 'NIST SP 800-63B-4 §4.6' },
          },
          {
            target: 'active',
            actions: ['sendLink', 'overtakeOlder'],
            description: 'Sent; older links of the same purpose stay active until one is used.',
            meta: { spec: 'NIST SP 800-63B-4 §4.2' },
          },
        ],
        used: unknown,
        usedWithPasskey: unknown,
        overtaken: stayUnsent,
        otherUsed: stayUnsent,
        withdrawn: stayUnsent,
        undone: stayUnsent,
      },
    },
    active: {
      description: 'In the mailbox of the person that it was sent to.',
      meta: { spec: 'NIST SP 800-63B-4 §4.2' },
      on: {
        requested: { description: 'It was sent already.' },
        used: [
          expired,
          isNotOffered,
          userEnded,
          {
            guard: 'passwordChanged',
            actions: reject('password_changed'),
            description: 'A password was set since it was sent, or the sessions of the end-user were ended otherwise.',
            meta: { spec: 'NIST SP 800-63B-4 §4.2' },
          },
          addressDiffers,
          passwordIsFromMail,
          passwordIsMissing,
          usernameIsTaken,
          addressIsTaken,
          {
            guard: 'verifiesAddress',
            target: 'used',
            actions: ['useLink', 'supersedeOthers', changeUser('addressVerified')],
            description: 'The mailbox is theirs: the address is verified.',
            meta: { spec: 'OpenID Connect Core §5.1' },
          },
          {
            guard: 'resetsPassword',
            target: 'used',
            actions: ['useLink', 'supersedeOthers', changeUser('passwordReset')],
            description: 'A new password; they sign in with it, with every factor that is asked of them.',
            meta: { spec: 'NIST SP 800-63B-4 §4.2' },
          },
          {
            guard: 'changesAddress',
            target: 'used',
            actions: ['useLink', 'supersedeOthers', 'offerUndo', changeUser('addressChanged')],
            description:
              'The new mailbox is theirs: it is the address from now on, and the address from before can undo that.',
            meta: { spec: 'OpenID Connect Core §5.1, NIST SP 800-63B-4 §4.6' },
          },
          {
            guard: 'undoesChange',
            target: 'used',
            actions: ['useLink', 'supersedeLater', changeUser('addressRestored')],
            description: 'The end-user has the earlier address again; links sent since the change are invalid.',
            meta: { spec: 'NIST SP 800-63B-4 §4.6' },
          },
          {
            guard: 'removesFactors',
            target: 'used',
            actions: ['useLink', 'supersedeOthers', changeUser('factorsLost')],
            description:
              'Password and mailbox together: sessions and grants end, and the factors that were lost are removed.',
            meta: { spec: 'NIST SP 800-63B-4 §4.2.2' },
          },
          {
            target: 'used',
            actions: ['useLink', 'supersedeOthers', changeUser('registrationRequested')],
            description: 'The account is made, with a verified address.',
            meta: { spec: 'OpenID Connect Core §5.1' },
          },
        ],
        usedWithPasskey: [
          expired,
          isNotOffered,
          usernameIsTaken,
          addressIsTaken,
          {
            guard: 'makesNoAccount',
            actions: reject('not_offered'),
            description: 'The link is for an account that exists; the link stays valid.',
            meta: { spec: 'WebAuthn Level 3 §7.1' },
          },
          {
            guard: 'passkeyIsNotOffered',
            actions: reject('passkey_not_offered'),
            description:
              'The current policy makes no account with a passkey instead of a password; the link stays valid.',
          },
          {
            guard: 'passkeyIsRegistered',
            actions: reject('passkey_is_registered'),
            description: 'The passkey was registered before, for any end-user; the link stays valid.',
            meta: { spec: 'WebAuthn Level 3 §7.1' },
          },
          {
            target: 'used',
            actions: ['useLink', 'supersedeOthers', changeUser('registrationRequested'), 'addPasskey'],
            description: 'The account is made, with a verified address and a passkey, and without a password.',
            meta: { spec: 'WebAuthn Level 3 §7.1' },
          },
        ],
        overtaken: [
          {
            guard: or(['newerGoesElsewhere', 'isOutnumbered']),
            target: 'superseded',
            actions: [supersedeLink('newer_link_sent'), 'overtakeOlder'],
            description:
              'Too many newer links were sent; or the newer link went to another address, and this one may be a mistake.',
            meta: { spec: 'NIST SP 800-63B-4 §4.2' },
          },
          {
            actions: ['countNewerLink', 'overtakeOlder'],
            description: 'A newer link was sent; this link stays active.',
            meta: { spec: 'NIST SP 800-63B-4 §4.2' },
          },
        ],
        otherUsed: {
          target: 'superseded',
          actions: [supersedeLink('another_link_used'), 'supersedeOthers'],
          description: 'Another link of the same purpose was used.',
          meta: { spec: 'NIST SP 800-63B-4 §4.2' },
        },
        withdrawn: {
          target: 'superseded',
          actions: supersedeLink('withdrawn'),
          description: 'An administrator took the invitation back.',
        },
        undone: {
          target: 'superseded',
          actions: [supersedeLink('change_undone'), 'supersedeLater'],
          description: 'A change of the address from before was undone: this link may be in the hands of a thief.',
          meta: { spec: 'NIST SP 800-63B-4 §4.6' },
        },
      },
    },
    used: {
      description: 'It has served its purpose, once.',
      meta: { spec: 'NIST SP 800-63B-4 §4.2' },
      on: {
        requested: stayUsed,
        used: usedBefore,
        usedWithPasskey: usedBefore,
        overtaken: stayUsed,
        otherUsed: stayUsed,
        withdrawn: stayUsed,
        undone: stayUsed,
      },
    },
    superseded: {
      description: 'The link is invalid. No arm leads out of this state.',
      meta: { spec: 'NIST SP 800-63B-4 §4.2' },
      on: {
        requested: staySuperseded,
        used: invalid,
        usedWithPasskey: invalid,
        overtaken: staySuperseded,
        otherUsed: staySuperseded,
        withdrawn: staySuperseded,
        undone: staySuperseded,
      },
    },
  } as const satisfies Answers<typeof emailChallengeGuards, EmailChallengeEvent>,
});
