import type { EmailChallengeContext, EmailChallengeEvent } from './facts.ts';

type Link = { context: EmailChallengeContext };
type Use = Link & { event: Extract<EmailChallengeEvent, { now: unknown }> };
type InBrowser = Link & { event: Extract<EmailChallengeEvent, { passwordIsProven: unknown }> };
type Overtaken = { event: Extract<EmailChallengeEvent, { goesElsewhere: unknown }> };

export const emailChallengeGuards = {
  expired: ({ context, event }: Use) => event.now >= context.endsAt,
  isNotOffered: ({ context }: Link) => !context.isOffered,
  userEnded: ({ context }: Link) => !context.userStands,
  /** An undo outlives a new password: a thief who changed the address sets that too. */
  passwordChanged: ({ context }: Link) => !context.epochStands && context.purpose !== 'undo_change',
  addressDiffers: ({ context }: Link) => !context.addressStands,
  /** The reader of the mailbox has set the password through it: that is one proof, not two. */
  passwordIsFromMail: ({ context }: Link) => context.purpose === 'lost_factors' && context.passwordIsFromMail,
  passwordIsMissing: ({ context, event }: InBrowser) => context.purpose === 'lost_factors' && !event.passwordIsProven,
  usernameIsTaken: ({ event }: Use) => event.usernameIsTaken,
  newerGoesElsewhere: ({ event }: Overtaken) => event.goesElsewhere,
  /** The newer link of the event is not counted yet. */
  isOutnumbered: ({ context }: Link) => context.newerLinks >= context.newerLinksAllowed,
  verifiesAddress: ({ context }: Link) => context.purpose === 'verify_address',
  resetsPassword: ({ context }: Link) => context.purpose === 'reset_password',
  changesAddress: ({ context }: Link) => context.purpose === 'change_address',
  undoesChange: ({ context }: Link) => context.purpose === 'undo_change',
  removesFactors: ({ context }: Link) => context.purpose === 'lost_factors',
};
