import type { SessionContext, SessionEvent } from './facts.ts';

type Session = { context: SessionContext; event: SessionEvent };

export const sessionGuards = {
  tooOld: ({ context, event }: Session) => event.now >= context.endsAt,
  idle: ({ context, event }: Session) => event.now >= context.idleEndsAt,
  useIsDue: ({ context, event }: Session) => event.now >= context.useDueAt,
  waitedTooLong: ({ context, event }: Session) => event.now >= context.factorDueAt,
  /**
   * An attacker who reads the mailbox opens no account that has a factor, even if the policy counts a passkey as several. A browser is
   * trusted only where no proof is demanded (the machine of the trusted browser).
   */
  factorIsMissing: ({ context }: { context: Pick<SessionContext, 'signIn'> }) =>
    !context.signIn.isMultiFactor &&
    !context.signIn.browserIsTrusted &&
    (context.signIn.isFactorDemanded ||
      context.signIn.hasApp ||
      (context.signIn.hasPasskey && (context.signIn.passkeyCounts || context.signIn.passwordIsFromMail))),
  factorIsGone: ({ context }: Session) => context.factorStands === false,
  endedByUser: ({ context }: Session) => context.endedBy === 'user',
  endedByServer: ({ context }: Session) => context.endedBy === 'server',
  signedOut: ({ context }: Session) => context.endReason === 'signed_out',
  endedFromList: ({ context }: Session) => context.endReason === 'ended_by_user',
  endedByAdministrator: ({ context }: Session) => context.endReason === 'ended_by_administrator',
  replaced: ({ context }: Session) => context.endReason === 'signed_in_again',
  idledOut: ({ context }: Session) => context.endReason === 'session_idle',
  endedWithoutFactor: ({ context }: Session) => context.endReason === 'second_factor_missing',
};
