import type { ExternalSignInContext, ExternalSignInEvent } from './facts.ts';

type External = { context: ExternalSignInContext; event: ExternalSignInEvent };
type Answer = { event: Extract<ExternalSignInEvent, { user: unknown }> };
type Return = { event: Extract<ExternalSignInEvent, { isAdmitted: unknown }> };

export const externalSignInGuards = {
  expired: ({ context, event }: External) => event.now >= context.endsAt,
  fromAnotherBrowser: ({ event }: External) => !event.fromItsBrowser,
  isOvertaken: ({ context }: External) => context.isOvertaken,
  notAdmitted: ({ event }: Return) => !event.isAdmitted,
  userEnded: ({ event }: Answer) => event.user === 'ended',
  userIsUnknown: ({ event }: Answer) => event.user === 'unknown',
  userIsNew: ({ event }: Answer) => event.user === 'new',
  identityIsNew: ({ event }: Return) => event.identity === 'unlinked',
  identityIsAnothers: ({ event }: Return) => event.identity === 'linkedElsewhere',
};
