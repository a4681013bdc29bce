import type { ClientRegistrationContext, ClientRegistrationEvent } from './facts.ts';

type Registration = { context: ClientRegistrationContext };
type Presented = { event: Extract<ClientRegistrationEvent, { tokenIsRight: unknown }> };
type Changed = Registration & { event: Extract<ClientRegistrationEvent, { strength: unknown }> };
type Authorized = Registration & { event: Extract<ClientRegistrationEvent, { until: unknown }> };

/** Every constant that a guard may name: a guard compares facts with facts, and writes no value of its own. */
export const BOUNDS = {
  /** Sign-ins within this time write the end once. */
  extendedEveryMilliseconds: 86_400_000,
} as const;

export const clientRegistrationGuards = {
  isOff: ({ context }: Registration) => !context.isOn,
  tooManyAreStored: ({ context }: Registration) => context.othersStored >= context.mostStored,
  tokenIsWrong: ({ event }: Presented) => !event.tokenIsRight,
  isDeleted: ({ context }: Registration) => context.isDeleted,
  isVetted: ({ context }: Registration) => context.isVetted,
  weakensAuthentication: ({ context, event }: Changed) => event.strength < context.strength,
  wasJustExtended: ({ context, event }: Authorized) =>
    context.unusedUntil !== null && event.until - context.unusedUntil < BOUNDS.extendedEveryMilliseconds,
};
