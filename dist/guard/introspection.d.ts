/** Asks the server whether a token is good at this moment (RFC 7662). An answer that does not come lets nobody in. */
import type { Discovery } from './discovery.js';
import { type AskForJson } from './json-request.js';
export type IntrospectionAnswer = 
/** `scopes`: those of this API that the server still confirms. */
{
    readonly kind: 'active';
    readonly scopes: readonly string[];
} | {
    readonly kind: 'inactive';
} | {
    readonly kind: 'unavailable';
    readonly detail: string;
};
export type Introspection = {
    /** @param id the `jti` of the token, whose signature was checked before. */
    readonly ask: (token: string, id: string) => Promise<IntrospectionAnswer>;
};
export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post';
export type IntrospectionRules = {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly authentication: ClientAuthentication;
    readonly timeoutMilliseconds: number;
    /** 0: every request asks. */
    readonly cacheSeconds: number;
};
/** @param now milliseconds since 1970. */
export declare function introspection(ask: AskForJson, endpoints: Discovery, rules: IntrospectionRules, now: () => number): Introspection;
