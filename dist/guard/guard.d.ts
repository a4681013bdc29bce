import { type ResourceMetadata } from './metadata.js';
import { type GuardOptions } from './options.js';
import { type Outcome } from './outcome.js';
import { type GuardedRequest } from './request.js';
/** What a request takes. */
export type Needs = {
    /** All of these. Empty: any token for this API. */
    readonly scopes: readonly string[];
    /** Whether the server is asked as well. Default: yes, where the guard has `introspection`. */
    readonly introspect?: boolean | undefined;
    /**
     * The classes of sign-in of which any is enough (`acr`), the preferred first: all that are strong enough, since their names tell the
     * guard nothing. Default: any sign-in, and tokens without an end-user. RFC 9470 §3.
     */
    readonly acrValues?: readonly string[] | undefined;
    /** How long ago the sign-in may be (`auth_time`). Default: however long. */
    readonly maxAgeSeconds?: number | undefined;
};
export type Guard = {
    /** Never throws and never rejects, whatever the request holds and whatever the server answers. */
    readonly check: (request: GuardedRequest, needs: Needs) => Promise<Outcome>;
    /** To be served at `path`, without credentials (RFC 9728 §3). */
    readonly metadata: ResourceMetadata;
    /** @returns what is wrong with the needs of a route, to be said when the API starts; null: nothing. */
    readonly problemOf: (needs: Needs) => string | null;
};
/** @throws TypeError when the options make no guard: a mistake of the program, to be seen when it starts. */
export declare function createGuard(options: GuardOptions): Guard;
