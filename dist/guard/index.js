/** `statehouse/guard`: what an API needs to accept the access tokens of Statehouse. */
export { fastifyGuard } from './fastify.js';
export { createGuard } from './guard.js';
