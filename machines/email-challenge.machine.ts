/**
 * The link in an e-mail: unsent → active → used, or superseded.
 *
 *               requested                    used (useLink, changeUser)        ┌──────┐
 *   ┌────────┐  (sendLink)  ┌────────┐ ──────────────────────────────────────► │ used │
 *   │ unsent │ ───────────► │ active │                                         └──────┘
 *   └────────┘              └────────┘ ──────────────────────────────────────► ┌────────────┐
 *                                        replaced by a newer link, withdrawn,  │ superseded │
 *                                        undone (supersedeLink)                └────────────┘
 *
 * Opening a link is no event: programs that look through mail open every link. The page has a button, and only that uses the link.
 * What a link does to an account is an event for the end-user's machine, decided and committed together with the link's use: the
 * link is used and the account is changed, or neither. A link that undoes a change of the address is not replaced by a newer link,
 * and outlives a new password: otherwise a thief could change address and password twice and shut the owner out. Its use ends all
 * links that were sent later, those of the thief among them.
 */
import { setup } from 'xstate';
import { emailChallengeGuards } from './guards.ts';
import {
  changeUser,
  type EmailChallengeContext,
  type EmailChallengeEvent,
  effects,
  type Meta,
  reject,
  type SharedArm,
  supersedeLink,
} from './vocabulary.ts';

const isNotOffered = {
  guard: 'isNotOffered',
  actions: reject('not_offered'),
  description: 'The policy lets nobody use such a link, or no longer.',
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

const stayUnsent = { description: 'Nothing was sent.' } as const satisfies SharedArm;
const stayUsed = { description: 'It was used: nothing takes that back.' } as const satisfies SharedArm;
const staySuperseded = { description: 'It is worth nothing already.' } as const satisfies SharedArm;

export const emailChallengeMachine = setup({
  types: { context: {} as EmailChallengeContext, events: {} as EmailChallengeEvent, meta: {} as Meta },
  guards: emailChallengeGuards,
  actions: effects,
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
            actions: ['supersedeOlder', 'sendLink'],
            description: 'Sent; an older link of the same purpose is worth nothing from now on.',
            meta: { spec: 'NIST SP 800-63B-4 §4.2' },
          },
        ],
        used: { actions: reject('link_unknown'), description: 'No mail has this link.' },
        replaced: stayUnsent,
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
          {
            guard: 'expired',
            actions: reject('link_expired'),
            description: 'Too late.',
            meta: { spec: 'NIST SP 800-63B-4 §4.2' },
          },
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
          {
            guard: 'usernameIsTaken',
            actions: reject('username_taken'),
            description: 'Another end-user signs in with the username that was chosen; the link stays good.',
          },
          {
            guard: 'verifiesAddress',
            target: 'used',
            actions: ['useLink', changeUser('addressVerified')],
            description: 'The mailbox is theirs: the address is verified.',
            meta: { spec: 'OpenID Connect Core §5.1' },
          },
          {
            guard: 'resetsPassword',
            target: 'used',
            actions: ['useLink', changeUser('passwordReset')],
            description: 'A new password; they sign in with it, with every factor that is asked of them.',
            meta: { spec: 'NIST SP 800-63B-4 §4.2' },
          },
          {
            guard: 'changesAddress',
            target: 'used',
            actions: ['useLink', 'offerUndo', changeUser('addressChanged')],
            description:
              'The new mailbox is theirs: it is the address from now on, and the address from before can undo that.',
            meta: { spec: 'OpenID Connect Core §5.1, NIST SP 800-63B-4 §4.6' },
          },
          {
            guard: 'undoesChange',
            target: 'used',
            actions: ['useLink', 'supersedeLater', changeUser('addressRestored')],
            description: 'The address from before is back; what was sent since the change is worth nothing.',
            meta: { spec: 'NIST SP 800-63B-4 §4.6' },
          },
          {
            guard: 'removesFactors',
            target: 'used',
            actions: ['useLink', changeUser('factorsLost')],
            description:
              'Password and mailbox together: sessions and grants end, and the factors that were lost are removed.',
            meta: { spec: 'NIST SP 800-63B-4 §4.2.2' },
          },
          {
            target: 'used',
            actions: ['useLink', changeUser('registrationRequested')],
            description: 'The account is made, with a verified address.',
            meta: { spec: 'OpenID Connect Core §5.1' },
          },
        ],
        replaced: {
          target: 'superseded',
          actions: supersedeLink('newer_link_sent'),
          description: 'A newer link of the same purpose was sent to the same person.',
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
      description: 'It did once what it was sent for.',
      meta: { spec: 'NIST SP 800-63B-4 §4.2' },
      on: {
        requested: stayUsed,
        used: {
          actions: reject('link_used'),
          description: 'A second use changes nothing.',
          meta: { spec: 'NIST SP 800-63B-4 §4.2' },
        },
        replaced: stayUsed,
        withdrawn: stayUsed,
        undone: stayUsed,
      },
    },
    superseded: {
      description: 'Worth nothing. Nothing leads out of here.',
      meta: { spec: 'NIST SP 800-63B-4 §4.2' },
      on: {
        requested: staySuperseded,
        used: {
          actions: reject('link_superseded'),
          description: 'A newer link was sent, or this link was taken back.',
          meta: { spec: 'NIST SP 800-63B-4 §4.2' },
        },
        replaced: staySuperseded,
        withdrawn: staySuperseded,
        undone: staySuperseded,
      },
    },
  },
});
