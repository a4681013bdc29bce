import type { LinkedIdentityEvent } from './facts.ts';

type Removal = { event: Extract<LinkedIdentityEvent, { isLastWay: unknown }> };

export const linkedIdentityGuards = {
  isLastWay: ({ event }: Removal) => event.isLastWay,
};
