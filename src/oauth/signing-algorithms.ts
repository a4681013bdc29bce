/**
 * The algorithms that may sign tokens (RFC 7518 §3.1, RFC 8037 §3.1). Policies, tables, clients and metadata all use
 * this list.
 */
export const SIGNING_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];
