import type { UserEvent } from './facts.ts';

type Change = { event: Extract<UserEvent, { expectationHolds: unknown }> };
type Registration = { event: Extract<UserEvent, { differs: unknown }> };
type Rehash = { event: Extract<UserEvent, { hashIsAnother: unknown }> };

export const userGuards = {
  expectationFails: ({ event }: Change) => !event.expectationHolds,
  usernameIsTaken: ({ event }: Registration) => event.usernameIsTaken,
  nothingDiffers: ({ event }: Registration) => !event.differs,
  passwordDiffers: ({ event }: Registration) => event.passwordDiffers,
  hashIsAnother: ({ event }: Rehash) => event.hashIsAnother,
};
