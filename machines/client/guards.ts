import type { ClientContext, ClientEvent } from './facts.ts';

type Client = { context: ClientContext; event: ClientEvent };
type Registration = { event: Extract<ClientEvent, { differing: unknown }> };
type Removal = { context: ClientContext; event: Extract<ClientEvent, { secretId: unknown }> };

/** Every constant that a guard may name: a guard compares facts with facts, and writes no value of its own. */
export const BOUNDS = {
  /** A secret is exchanged without an outage when the next secret works before the last secret is removed. */
  liveSecrets: 2,
} as const;

export const clientGuards = {
  expectationFails: ({ event }: Client) => !event.expectationHolds,
  onlyConfigurationMay: ({ context, event }: Client) => context.isDeclared && !event.byConfiguration,
  nothingDiffers: ({ event }: Registration) => event.differing.length === 0,
  isPublic: ({ context }: Client) => !context.isConfidential,
  secretsAreFull: ({ context }: Client) => context.secretIds.length >= BOUNDS.liveSecrets,
  secretIsUnknown: ({ context, event }: Removal) => !context.secretIds.includes(event.secretId),
  secretIsTheLast: ({ context }: Client) => context.secretIds.length <= 1,
};
