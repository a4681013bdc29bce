/** The schema of `limits.yaml`: how much a node takes on. Units are in the keys. The file may be left out. */
import { z } from 'zod';

const perSecond = (whom: string) =>
  z
    .int()
    .min(1)
    .max(1_000_000)
    .default(20_000)
    .describe(
      `Token requests ${whom} in a second, on average over ten seconds, at each node. More are answered with 429 and Retry-After.`,
    );

export const limitsSchema = z.strictObject({
  requestsInProgress: z
    .int()
    .min(10)
    .max(100_000)
    .default(1000)
    .describe(
      'The number of requests that a node processes concurrently. The node immediately answers further requests with 503 and Retry-After.',
    ),
  pushedRequestsByClient: z
    .int()
    .min(10)
    .max(100_000)
    .default(1000)
    .describe(
      'The number of pushed authorization requests of a client that can be open, in time and without an answer. The server answers further ones with 429 and Retry-After.',
    ),
  tokenRequestsPerSecondByClient: perSecond('of a client that has authenticated'),
  tokenRequestsPerSecondByAddress: perSecond(
    'from an address (an IPv4 address, or an IPv6 network of 64 bits; 16 times as many from a network of 48 bits)',
  ),
  managementRequestsPerMinute: z
    .int()
    .min(60)
    .max(10_000_000)
    .default(12_000)
    .describe(
      'Requests of an operator or client to the management API in a minute, at each node. More are answered with 429 and Retry-After. Each operation of a batch counts as one.',
    ),
});

export type Limits = z.output<typeof limitsSchema>;
export const SHIPPED_LIMITS: Limits = limitsSchema.parse({});
