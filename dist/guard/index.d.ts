/** `statehouse/guard`: what an API needs to accept the access tokens of Statehouse. */
export { type FastifyGuardOptions, fastifyGuard } from './fastify.js';
export { createGuard, type Guard, type Needs } from './guard.js';
export type { ResourceMetadata, ResourceMetadataDocument } from './metadata.js';
export type { GuardOptions, Presented } from './options.js';
export type { Access, AccessTokenClaims, AnswerHeaders, Granted, Outcome, RefusalError, RefusalReason, Refused, Unavailable, } from './outcome.js';
export type { GuardedRequest } from './request.js';
