import type { Configuration } from '../config/configuration.ts';
import type { LifetimesOf } from '../storage/grant-list.ts';

/** Of a client's policy today. */
export const lifetimesOf =
  ({ policies }: Configuration): LifetimesOf =>
  ({ policy: name }) => {
    const policy = policies.get(name);
    return policy ? { name, ...policy } : null;
  };
