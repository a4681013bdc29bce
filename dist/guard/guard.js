/** The guard of an API, without a framework: one check for a request, one outcome. */
import { readAccessToken } from './access-token.js';
import { discovery } from './discovery.js';
import { introspection } from './introspection.js';
import { jsonRequests, objectOf } from './json-request.js';
import { keySource } from './keys.js';
import { resourceMetadata } from './metadata.js';
import { areScopes, rulesOf } from './options.js';
import { granted, refused, unavailable, } from './outcome.js';
import { credentialsOf } from './request.js';
const REFUSED_CREDENTIALS = {
    none: 'no_credentials',
    several: 'more_than_one_method',
    malformed: 'malformed_credentials',
    too_long: 'token_too_long',
};
const INTROSPECTION_RETRY_SECONDS = 1;
const INTERNAL_RETRY_SECONDS = 5;
/** @throws TypeError when the options make no guard: a mistake of the program, to be seen when it starts. */
export function createGuard(options) {
    const rules = rulesOf(options);
    const { issuer, resource } = rules;
    const { proof, now = () => new Date(), fetch = globalThis.fetch } = options;
    const milliseconds = () => now().getTime();
    const ask = jsonRequests((...request) => fetch(...request));
    const { jwksUri, introspection: asked } = options;
    const given = {
        ...(jwksUri !== undefined && { jwks_uri: jwksUri }),
        ...(asked?.endpoint !== undefined && { introspection_endpoint: asked.endpoint }),
    };
    const endpoints = discovery(ask, issuer, given, rules.keys.timeoutMilliseconds);
    const keys = keySource(ask, endpoints, rules.keys, milliseconds);
    const server = rules.introspection && introspection(ask, endpoints, rules.introspection, milliseconds);
    const metadata = resourceMetadata({
        issuer,
        resource,
        scopes: rules.scopes ?? [],
        name: options.name,
        documentation: options.documentation,
    });
    const schemes = new Set(proof === undefined ? ['bearer'] : ['bearer', 'dpop']);
    const tokenRules = { ...rules, now: milliseconds };
    const problemOf = (needs) => {
        const scopes = Object(needs)['scopes'];
        if (!areScopes(scopes))
            return 'it has to name its scopes as a list; an empty list lets in any token for this API';
        const unknown = scopes.filter((one) => rules.scopes !== null && !rules.scopes.includes(one));
        if (unknown.length > 0)
            return `the scopes of this API are ${rules.scopes?.join(', ')}; found: ${unknown.join(', ')}`;
        const { acrValues, maxAgeSeconds } = needs;
        if (acrValues !== undefined && !(areScopes(acrValues) && acrValues.length > 0))
            return 'acrValues has to be a list of classes, none of which has a space or a quote';
        if (maxAgeSeconds !== undefined && !(Number.isSafeInteger(maxAgeSeconds) && maxAgeSeconds >= 0))
            return 'maxAgeSeconds has to be a whole number of seconds';
        return needs.introspect === true && server === null
            ? 'it asks for introspection, which this guard was not given'
            : null;
    };
    /** Null: the sender is the holder, as far as the token can tell. */
    const proofProblem = async (request, scheme, token, claims) => {
        const { cnf } = claims;
        if (cnf === undefined && scheme === 'bearer')
            return null;
        if (proof === undefined)
            return 'proof_missing';
        const confirmation = objectOf(cnf);
        if (confirmation === null)
            return 'proof_refused';
        const boundToDpop = confirmation['jkt'] !== undefined;
        // RFC 9449 §7.2: a token that is bound by `jkt` never serves a bearer. §7.1: what comes as DPoP must be bound so.
        if (boundToDpop !== (scheme === 'dpop'))
            return boundToDpop ? 'proof_missing' : 'proof_refused';
        try {
            const isGood = await proof({ request, scheme, token, claims, confirmation });
            return isGood === true ? null : 'proof_refused';
        }
        catch (error) {
            return unavailable('proof', `the check of the proof failed (${nameOf(error)})`, INTERNAL_RETRY_SECONDS);
        }
    };
    const judged = async (request, needs) => {
        const problem = problemOf(needs);
        if (problem !== null)
            return unavailable('internal', `the needs of a request: ${problem}`, INTERNAL_RETRY_SECONDS);
        const { scopes, acrValues = null, maxAgeSeconds = null } = needs;
        const signIn = { acrValues, maxAgeSeconds };
        const refuse = (reason, missing = []) => refused(reason, { scopes, metadataUrl: metadata.url, signIn }, missing);
        const credentials = credentialsOf(request, schemes, rules.maxTokenLength);
        if (credentials.kind !== 'token')
            return refuse(REFUSED_CREDENTIALS[credentials.kind]);
        const { token, scheme } = credentials;
        const reading = await readAccessToken(tokenRules, keys, token);
        if (reading.kind === 'unavailable')
            return unavailable('keys', reading.detail, reading.retryAfterSeconds);
        if (reading.kind === 'invalid')
            return refuse(reading.reason);
        const { claims } = reading;
        const unproven = await proofProblem(request, scheme, token, claims);
        if (typeof unproven === 'string')
            return refuse(unproven);
        if (unproven !== null)
            return unproven;
        const inToken = wordsOf(claims.scope);
        const missing = without(scopes, inToken);
        if (missing.length > 0)
            return refuse('scope_missing', missing);
        const { acr, auth_time: signedInAt } = claims;
        if (acrValues !== null && !(typeof acr === 'string' && acrValues.includes(acr)))
            return refuse('sign_in_too_weak');
        if (maxAgeSeconds !== null && !isWithin(signedInAt, maxAgeSeconds + rules.clockToleranceSeconds, milliseconds()))
            return refuse('sign_in_too_old');
        const access = { subject: claims.sub, clientId: claims.client_id, scopes: inToken, claims };
        if (server === null || needs.introspect === false)
            return granted(access);
        const answer = await server.ask(token, claims.jti);
        if (answer.kind === 'unavailable')
            return unavailable('introspection', answer.detail, INTROSPECTION_RETRY_SECONDS);
        if (answer.kind === 'inactive')
            return refuse('token_inactive');
        const confirmed = inToken.filter((one) => answer.scopes.includes(one));
        const lost = without(scopes, confirmed);
        return lost.length > 0 ? refuse('scope_missing', lost) : granted({ ...access, scopes: confirmed });
    };
    return {
        metadata,
        problemOf,
        check: async (request, needs) => {
            try {
                return await judged(request, needs);
            }
            catch (error) {
                // Nothing above throws for what a caller sends; what was not foreseen lets nobody in.
                return unavailable('internal', `the check failed (${nameOf(error)})`, INTERNAL_RETRY_SECONDS);
            }
        },
    };
}
/** @param signedInAt seconds since 1970, as the token has it. @param now milliseconds */
const isWithin = (signedInAt, seconds, now) => typeof signedInAt === 'number' && now / 1000 - signedInAt <= seconds;
const wordsOf = (scope) => [
    ...new Set((scope ?? '').split(' ').filter((one) => one.length > 0)),
];
const without = (required, had) => required.filter((one) => !had.includes(one));
/** Without the message, which may quote what came. */
const nameOf = (error) => (error instanceof Error ? error.name : typeof error);
