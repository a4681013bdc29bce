import type { LinkedIdentityEvent } from './facts.ts';

type Removal = { event: Extract<LinkedIdentityEvent, { hasAnotherWay: unknown }> };

export const linkedIdentityGuards = {
  isLastWay: ({ event }: Removal) => !event.hasAnotherWay,
};
