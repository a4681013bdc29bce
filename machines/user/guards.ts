import type { UserContext, UserEvent } from './facts.ts';

type Change = { event: Extract<UserEvent, { expectationHolds: unknown }> };
type Registration = { context: UserContext; event: Extract<UserEvent, { differing: unknown }> };
type Rehash = { context: UserContext; event: Extract<UserEvent, { checkedHash: unknown }> };

export const userGuards = {
  expectationFails: ({ event }: Change) => !event.expectationHolds,
  usernameIsTaken: ({ context, event }: Registration) => event.usernameOf !== null && event.usernameOf !== context.id,
  addressIsTaken: ({ context, event }: Registration) => event.addressOf !== null && event.addressOf !== context.id,
  nothingDiffers: ({ event }: Registration) => event.differing.length === 0,
  passwordDiffers: ({ event }: Registration) => event.differing.includes('password'),
  hashIsAnother: ({ context, event }: Rehash) => event.checkedHash !== context.passwordHash,
};
