/** The public keys of the authorization server (RFC 7517): fetched, kept, and fetched again when others sign. */
import { type CryptoKey, type JWSHeaderParameters } from 'jose';
import type { Discovery } from './discovery.js';
import { type AskForJson } from './json-request.js';
export type KeyTimes = {
    /** Until keys are fetched again: a key that was withdrawn is trusted no longer than this. */
    readonly maxAgeSeconds: number;
    /** At least this long between two fetches for the sake of unknown key ids, which callers make up as they like. */
    readonly cooldownSeconds: number;
    /** How old keys may get while the server cannot be asked. */
    readonly staleSeconds: number;
    readonly timeoutMilliseconds: number;
};
export type KeyFinding = {
    readonly kind: 'found';
    readonly key: CryptoKey;
}
/** The server has no such key, as far as it was asked lately. */
 | {
    readonly kind: 'unknown';
} | {
    readonly kind: 'unavailable';
    readonly detail: string;
    readonly retryAfterSeconds: number;
};
export type KeySource = {
    readonly find: (header: JWSHeaderParameters & {
        alg: string;
    }) => Promise<KeyFinding>;
};
/** @param now milliseconds since 1970. */
export declare function keySource(ask: AskForJson, endpoints: Discovery, times: KeyTimes, now: () => number): KeySource;
