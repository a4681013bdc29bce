import { maySignIn } from '../shared/end-user.ts';
import type { EmailChallengeContext, EmailChallengeEvent } from './facts.ts';

type Link = { context: EmailChallengeContext };
type Use = Link & { event: Extract<EmailChallengeEvent, { now: unknown }> };
type WithPasskey = Link & { event: Extract<EmailChallengeEvent, { passkey: unknown }> };
type InBrowser = Link & { event: Extract<EmailChallengeEvent, { passwordIsProven: unknown }> };
type Overtaken = Link & { event: Extract<EmailChallengeEvent, { newerAddress: unknown }> };

export const emailChallengeGuards = {
  expired: ({ context, event }: Use) => event.now >= context.endsAt,
  isNotOffered: ({ context }: Link) => !context.isOffered,
  userEnded: ({ context }: Link) => context.userId !== null && !maySignIn(context.user),
  /** An undo outlives a new password: a thief who changed the address sets that too. */
  passwordChanged: ({ context }: Link) =>
    context.userId !== null &&
    context.purpose !== 'undo_change' &&
    (context.user === null || context.user.epoch !== context.userEpoch),
  /** A link that brings its address has no other. For a new password, the address of the account is verified too. */
  addressDiffers: ({ context }: Link) =>
    (context.purpose === 'verify_address' ||
      context.purpose === 'reset_password' ||
      context.purpose === 'lost_factors') &&
    (context.user === null ||
      context.user.address !== context.address ||
      (context.purpose !== 'verify_address' && !context.user.addressIsVerified)),
  /** The reader of the mailbox has set the password through it: that is one proof, not two. */
  passwordIsFromMail: ({ context }: Link) =>
    context.purpose === 'lost_factors' &&
    context.user !== null &&
    context.user.passwordByLinkAt !== null &&
    context.oldestFactorAt !== null &&
    context.oldestFactorAt <= context.user.passwordByLinkAt,
  passwordIsMissing: ({ context, event }: InBrowser) => context.purpose === 'lost_factors' && !event.passwordIsProven,
  usernameIsTaken: ({ event }: Use) => event.usernameOf !== null,
  addressIsTaken: ({ context, event }: Use) => event.addressOf !== null && event.addressOf !== context.userId,
  makesNoAccount: ({ context }: Link) => context.userId !== null,
  passkeyIsNotOffered: ({ context }: Link) => !context.passkeyIsOffered,
  passkeyIsRegistered: ({ event }: WithPasskey) => event.passkey !== 'unregistered',
  newerGoesElsewhere: ({ context, event }: Overtaken) => event.newerAddress !== context.address,
  /** The newer link of the event is not counted yet. */
  isOutnumbered: ({ context }: Link) => context.newerLinks >= context.newerLinksAllowed,
  verifiesAddress: ({ context }: Link) => context.purpose === 'verify_address',
  resetsPassword: ({ context }: Link) => context.purpose === 'reset_password',
  changesAddress: ({ context }: Link) => context.purpose === 'change_address',
  undoesChange: ({ context }: Link) => context.purpose === 'undo_change',
  removesFactors: ({ context }: Link) => context.purpose === 'lost_factors',
};
