import { maySignIn } from '../shared/end-user.ts';
import type { ExternalSignInContext, ExternalSignInEvent } from './facts.ts';

type External = { context: ExternalSignInContext; event: ExternalSignInEvent };
type Answer = { context: ExternalSignInContext; event: Extract<ExternalSignInEvent, { namesUser: unknown }> };
type Return = { context: ExternalSignInContext; event: Extract<ExternalSignInEvent, { admission: unknown }> };

const mayRegister = ({ context, event }: Answer) => context.purpose === 'signIn' && event.freeUsernames.length > 0;

/** Predicates that several guards share, so that reviews show them beside the guards. */
export const sharedPredicates = { mayRegister };

export const externalSignInGuards = {
  expired: ({ context, event }: External) => event.now >= context.endsAt,
  fromAnotherBrowser: ({ event }: External) => !event.fromItsBrowser,
  isOvertaken: ({ context }: External) => context.lastUsedBeganAt !== null && context.lastUsedBeganAt > context.beganAt,
  notAdmitted: ({ context, event }: Return) =>
    event.admission !== 'admitted' ||
    (context.purpose === 'link' && (event.sessionUserId === null || event.sessionUserId !== context.userId)),
  userEnded: ({ context, event }: Answer) =>
    event.user !== null &&
    (!maySignIn(event.user) || (context.userEpoch !== null && context.userEpoch !== event.user.epoch)),
  userIsUnknown: ({ context, event }: Answer) =>
    event.namesUser && event.user === null && !mayRegister({ context, event }),
  userIsNew: ({ context, event }: Answer) => event.namesUser && event.user === null && mayRegister({ context, event }),
  identityIsNew: ({ event }: Return) => event.identity !== null && event.identity.linkedTo === null,
  identityIsAnothers: ({ event }: Return) =>
    event.identity !== null &&
    event.identity.linkedTo !== null &&
    (event.user === null || event.identity.linkedTo !== event.user.id),
};
