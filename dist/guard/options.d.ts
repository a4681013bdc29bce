/** What a guard is told, and the bounds of it. */
import type { ClientAuthentication, IntrospectionRules } from './introspection.js';
import type { KeyTimes } from './keys.js';
import type { AccessTokenClaims } from './outcome.js';
import type { GuardedRequest, Scheme } from './request.js';
export type GuardOptions = {
    /** Of the authorization server, byte for byte as in its tokens. */
    readonly issuer: string;
    /** The identifier of this API, as the authorization server knows it (resources.yaml): the `aud` of its tokens. */
    readonly resource: string;
    /** All scopes of this API, for its metadata. With them, a check that names another is a mistake of the program. */
    readonly scopes?: readonly string[];
    /** Default: as the metadata of the issuer say (RFC 8414). */
    readonly jwksUri?: string;
    /** Default: ES256, RS256 and EdDSA. Only asymmetric algorithms are taken. */
    readonly algorithms?: readonly string[];
    /** How far the clocks of both machines may be apart. 0 to 300; default: 5. */
    readonly clockToleranceSeconds?: number;
    /** The longest token, in characters. 256 to 65536; default: 8192. */
    readonly maxTokenLength?: number;
    readonly keys?: {
        /** After this, keys are fetched again: a key that was withdrawn is trusted no longer. 1 to 86400; default: 600. */
        readonly maxAgeSeconds?: number;
        /** At least this long between two fetches because of unknown key ids. 0 to 3600; default: 10. */
        readonly cooldownSeconds?: number;
        /** How old keys may get while the issuer cannot be asked. 0 to 86400; default: 3600, the longest life of a token. */
        readonly staleSeconds?: number;
        /** For each request to the issuer. 1 to 60000; default: 5000. */
        readonly timeoutMilliseconds?: number;
    };
    /** Asks the issuer too, so that a token which was revoked is refused at once (RFC 7662). */
    readonly introspection?: {
        /** A client of the issuer that is named in `introspectedBy` of the resource. */
        readonly clientId: string;
        readonly clientSecret: string;
        /** As it is registered. Default: client_secret_basic. */
        readonly authentication?: ClientAuthentication;
        /** Default: as the metadata of the issuer say. */
        readonly endpoint?: string;
        /** After this, the request is answered with 503. 1 to 60000; default: 3000. */
        readonly timeoutMilliseconds?: number;
        /** For how long an answer is taken again, which is how long a revoked token goes on. 0 to 60; default: 0. */
        readonly cacheSeconds?: number;
    };
    /** Shown to people by clients (RFC 9728 §2). */
    readonly name?: string;
    /** A page for developers (RFC 9728 §2). */
    readonly documentation?: string;
    /**
     * Checks that the sender holds the key to which a token is bound: `cnf` (RFC 7800), by DPoP (RFC 9449) or mutual TLS (RFC 8705).
     * Without it, bound tokens are refused, since nothing here can tell their holder from a thief. With it, the scheme `DPoP` is
     * taken too. @returns whether the proof is good. What it throws becomes 503.
     */
    readonly proof?: (presented: Presented) => boolean | Promise<boolean>;
    /** Default: that of Node. */
    readonly fetch?: typeof globalThis.fetch;
    /** The time. Default: that of this machine. */
    readonly now?: () => Date;
};
/** A token that is good but for the proof. */
export type Presented = {
    readonly request: GuardedRequest;
    readonly scheme: Scheme;
    readonly token: string;
    readonly claims: AccessTokenClaims;
    /** `cnf` of the token (RFC 7800 §3). */
    readonly confirmation: Readonly<Record<string, unknown>>;
};
export type GuardRules = {
    readonly issuer: string;
    readonly resource: string;
    readonly scopes: readonly string[] | null;
    readonly algorithms: readonly string[];
    readonly clockToleranceSeconds: number;
    readonly maxTokenLength: number;
    readonly keys: KeyTimes;
    readonly introspection: IntrospectionRules | null;
};
/** @throws TypeError that says what was expected and what was found, without secrets. */
export declare function rulesOf(options: GuardOptions): GuardRules;
export declare const areScopes: (value: unknown) => value is readonly string[];
