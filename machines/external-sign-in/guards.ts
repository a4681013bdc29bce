import type { ExternalSignInContext, ExternalSignInEvent } from './facts.ts';

type External = { context: ExternalSignInContext; event: ExternalSignInEvent };

export const externalSignInGuards = {
  expired: ({ context, event }: External) => event.now >= context.endsAt,
  fromAnotherBrowser: ({ event }: External) => !event.fromItsBrowser,
  isOvertaken: ({ context }: External) => context.isOvertaken,
  notAdmitted: ({ event }: External) => !event.isAdmitted,
  userEnded: ({ event }: External) => event.user === 'ended',
  userIsUnknown: ({ event }: External) => event.user === 'unknown',
  userIsNew: ({ event }: External) => event.user === 'new',
  identityIsNew: ({ event }: External) => event.identity === 'unlinked',
  identityIsAnothers: ({ event }: External) => event.identity === 'linkedElsewhere',
};
