/** What tokens may be signed with (RFC 7518 §3.1, RFC 8037 §3.1). The only list: policies, tables, clients and metadata use it. */
export const SIGNING_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];
