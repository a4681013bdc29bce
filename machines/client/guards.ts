import type { ClientContext, ClientEvent } from './facts.ts';

type Client = { context: ClientContext; event: ClientEvent };
type Registration = { event: Extract<ClientEvent, { differs: unknown }> };
type Removal = { event: Extract<ClientEvent, { secretIsLive: unknown }> };

/** Every constant that a guard may name: a guard compares facts with facts, and writes no value of its own. */
export const BOUNDS = {
  /** A secret is exchanged without an outage when the next secret works before the last secret is removed. */
  liveSecrets: 2,
} as const;

export const clientGuards = {
  expectationFails: ({ event }: Client) => !event.expectationHolds,
  onlyConfigurationMay: ({ context, event }: Client) => context.isDeclared && !event.byConfiguration,
  nothingDiffers: ({ event }: Registration) => !event.differs,
  isPublic: ({ context }: Client) => !context.isConfidential,
  secretsAreFull: ({ context }: Client) => context.liveSecrets >= BOUNDS.liveSecrets,
  secretIsUnknown: ({ event }: Removal) => !event.secretIsLive,
  secretIsTheLast: ({ context }: Client) => context.liveSecrets <= 1,
};
