/**
 * The guard as a Fastify plugin. It guards every route of the scope in which it is registered, and asks each to say what it takes:
 * `config: { scopes: ['photos:read'] }`, or `config: { public: true }`.
 */
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { type Guard } from './guard.js';
import type { GuardOptions } from './options.js';
import { type Access, type Refused, type Unavailable } from './outcome.js';
declare module 'fastify' {
    interface FastifyInstance {
        readonly guard: Guard;
    }
    interface FastifyRequest {
        /** Who calls. Null on a route that is public. */
        access: Access | null;
    }
    interface FastifyContextConfig {
        /** All of these are needed. Empty: any token for this API. */
        scopes?: readonly string[];
        /** Whether the server is asked about the token. Default: yes, where the guard has `introspection`. */
        introspect?: boolean;
        /** The classes of sign-in of which any is enough (RFC 9470): all that are strong enough. */
        acrValues?: readonly string[];
        /** How long ago the sign-in may be. */
        maxAgeSeconds?: number;
        /** No token is needed, and none is read. */
        public?: boolean;
    }
}
export type FastifyGuardOptions = GuardOptions & {
    /**
     * Whether the metadata of the API are served (RFC 9728). Default: true. With false, serve `app.guard.metadata` yourself: where
     * the guard is registered under a prefix, or where the API is served by several.
     */
    readonly serveMetadata?: boolean;
    /** Writes the body of a refusal. Status and headers are set already. Default: the error as JSON. */
    readonly sendRefusal?: (reply: FastifyReply, outcome: Refused | Unavailable) => FastifyReply;
};
/** As fastify-plugin marks it: hooks and decorators are for the scope that registers it, and for Fastify 5. */
export declare const fastifyGuard: FastifyPluginAsync<FastifyGuardOptions>;
