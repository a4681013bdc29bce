/** `statehouse/guard`: everything that an API needs to accept the access tokens of Statehouse, without a framework. */

export type { CertificateSource } from './certificate-binding.ts';
export type { ClaimsSchema } from './claims.ts';
export type { UsedProof } from './dpop.ts';
export { createGuard, type Guard } from './guard.ts';
export type { ResourceMetadata, ResourceMetadataDocument } from './metadata.ts';
export type { Needs } from './needs.ts';
export type { GuardOptions, Presented } from './options.ts';
export type {
  Access,
  AccessTokenClaims,
  AnswerHeaders,
  Granted,
  Outcome,
  RefusalError,
  RefusalReason,
  Refused,
  Unavailable,
} from './outcome.ts';
export type { GuardedRequest } from './request.ts';
