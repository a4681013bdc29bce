/** Clients that register themselves: their metadata are read by a module that no start loads, since most servers accept none. */
import type { RegisteredMetadata } from '../protocol/client-registration.ts';

export const metadataOfRegistrations = (): Promise<RegisteredMetadata> =>
  import('../registration/self-registration.ts');
