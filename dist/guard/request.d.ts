/** How an access token is presented: in one Authorization header and nowhere else (RFC 6750 §2.1, OAuth 2.1 §5.2.1). */
/** What of a request is read: that of Node, Express, Fastify (`request.raw`) and Fetch fit. Other fields are for the proof. */
export type GuardedRequest = {
    readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> | {
        readonly get: (name: string) => string | null;
    };
    /** As sent: Node keeps the first of several Authorization headers, and only this list has them all. */
    readonly rawHeaders?: readonly string[];
    readonly url?: string | undefined;
    readonly method?: string | undefined;
};
export type Scheme = 'bearer' | 'dpop';
export type Credentials = {
    readonly kind: 'token';
    readonly scheme: Scheme;
    readonly token: string;
} | {
    readonly kind: 'none';
} | {
    readonly kind: 'several';
} | {
    readonly kind: 'malformed';
} | {
    readonly kind: 'too_long';
};
/**
 * @param schemes those that are taken; with another, the request has no credentials that concern us.
 * @param maxLength of a token, in characters.
 */
export declare function credentialsOf(request: GuardedRequest, schemes: ReadonlySet<Scheme>, maxLength: number): Credentials;
