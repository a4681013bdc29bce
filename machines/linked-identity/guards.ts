import { isNoWay } from '../shared/end-user.ts';
import type { LinkedIdentityEvent } from './facts.ts';

type Removal = { event: Extract<LinkedIdentityEvent, { otherWays: unknown }> };

export const linkedIdentityGuards = {
  isLastWay: ({ event }: Removal) => isNoWay(event.otherWays),
};
