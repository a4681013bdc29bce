import type { UserEvent } from './facts.ts';

type User = { event: UserEvent };

export const userGuards = {
  expectationFails: ({ event }: User) => !event.expectationHolds,
  usernameIsTaken: ({ event }: User) => event.usernameIsTaken,
  nothingDiffers: ({ event }: User) => !event.differs,
  passwordDiffers: ({ event }: User) => event.passwordDiffers,
  hashIsAnother: ({ event }: User) => event.hashIsAnother,
};
