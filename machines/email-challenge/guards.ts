import type { EmailChallengeContext, EmailChallengeEvent } from './facts.ts';

type Link = { context: EmailChallengeContext; event: EmailChallengeEvent };

export const emailChallengeGuards = {
  expired: ({ context, event }: Link) => event.now >= context.endsAt,
  isNotOffered: ({ context }: Link) => !context.isOffered,
  userEnded: ({ context }: Link) => !context.userStands,
  /** An undo outlives a new password: a thief who changed the address sets that too. */
  passwordChanged: ({ context }: Link) => !context.epochStands && context.purpose !== 'undo_change',
  addressDiffers: ({ context }: Link) => !context.addressStands,
  /** Who reads the mailbox has set the password by it: that is one proof, not two. */
  passwordIsFromMail: ({ context }: Link) => context.purpose === 'lost_factors' && context.passwordIsFromMail,
  passwordIsMissing: ({ context, event }: Link) => context.purpose === 'lost_factors' && !event.passwordIsProven,
  usernameIsTaken: ({ event }: Link) => event.usernameIsTaken,
  newerGoesElsewhere: ({ event }: Link) => event.goesElsewhere,
  /** The newer link of the event is not counted yet. */
  isOutnumbered: ({ context }: Link) => context.newerLinks >= context.newerLinksAllowed,
  verifiesAddress: ({ context }: Link) => context.purpose === 'verify_address',
  resetsPassword: ({ context }: Link) => context.purpose === 'reset_password',
  changesAddress: ({ context }: Link) => context.purpose === 'change_address',
  undoesChange: ({ context }: Link) => context.purpose === 'undo_change',
  removesFactors: ({ context }: Link) => context.purpose === 'lost_factors',
};
