import type { LinkedIdentityEvent } from './facts.ts';

type Identity = { event: LinkedIdentityEvent };

export const linkedIdentityGuards = {
  isLastWay: ({ event }: Identity) => event.isLastWay,
};
