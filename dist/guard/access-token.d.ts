import type { KeySource } from './keys.js';
import type { AccessTokenClaims, RefusalReason } from './outcome.js';
export type TokenReading = {
    readonly kind: 'valid';
    readonly claims: AccessTokenClaims;
} | {
    readonly kind: 'invalid';
    readonly reason: RefusalReason;
} | {
    readonly kind: 'unavailable';
    readonly detail: string;
    readonly retryAfterSeconds: number;
};
export type TokenRules = {
    readonly issuer: string;
    readonly resource: string;
    readonly algorithms: readonly string[];
    readonly clockToleranceSeconds: number;
    /** Milliseconds since 1970. */
    readonly now: () => number;
};
/** Never rejects because of what the token holds. */
export declare function readAccessToken(rules: TokenRules, keys: KeySource, token: string): Promise<TokenReading>;
