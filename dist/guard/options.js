const DEFAULT_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'];
/** RFC 7518 §3.1, RFC 8037, RFC 9864: none with a shared secret, and not `none`. */
const ASYMMETRIC = new Set([
    ...['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'EdDSA', 'Ed25519'],
]);
/** @throws TypeError that says what was expected and what was found, without secrets. */
export function rulesOf(options) {
    const { issuer, resource, scopes, algorithms = DEFAULT_ALGORITHMS, keys = {}, introspection } = options;
    demand(isHttpUrl(issuer) && !/[?#]/.test(issuer), 'issuer', 'the URL of the authorization server', issuer);
    demand(isIdentifier(resource), 'resource', 'an absolute URI without a fragment', resource);
    demand(options.jwksUri === undefined || isHttpUrl(options.jwksUri), 'jwksUri', 'a URL', options.jwksUri);
    demand(Array.isArray(algorithms) && algorithms.length > 0 && algorithms.every((one) => ASYMMETRIC.has(one)), 'algorithms', `a list of ${[...ASYMMETRIC].join(', ')}`, algorithms);
    demand(scopes === undefined || areScopes(scopes), 'scopes', 'a list of scopes', scopes);
    return {
        issuer,
        resource,
        scopes: scopes ?? null,
        algorithms,
        clockToleranceSeconds: bounded('clockToleranceSeconds', options.clockToleranceSeconds, 5, 0, 300),
        maxTokenLength: bounded('maxTokenLength', options.maxTokenLength, 8192, 256, 65_536),
        keys: {
            maxAgeSeconds: bounded('keys.maxAgeSeconds', keys.maxAgeSeconds, 600, 1, 86_400),
            cooldownSeconds: bounded('keys.cooldownSeconds', keys.cooldownSeconds, 10, 0, 3600),
            staleSeconds: bounded('keys.staleSeconds', keys.staleSeconds, 3600, 0, 86_400),
            timeoutMilliseconds: bounded('keys.timeoutMilliseconds', keys.timeoutMilliseconds, 5000, 1, 60_000),
        },
        introspection: introspection === undefined ? null : introspectionRules(introspection),
    };
}
function introspectionRules(given) {
    const { clientId, clientSecret, authentication = 'client_secret_basic', endpoint } = given;
    demand(isText(clientId), 'introspection.clientId', 'the client_id of this API', clientId);
    if (!isText(clientSecret))
        throw new TypeError('The guard needs introspection.clientSecret: the secret of its client.');
    demand(authentication === 'client_secret_basic' || authentication === 'client_secret_post', 'introspection.authentication', 'client_secret_basic or client_secret_post', authentication);
    demand(endpoint === undefined || isHttpUrl(endpoint), 'introspection.endpoint', 'a URL', endpoint);
    const { timeoutMilliseconds, cacheSeconds } = given;
    return {
        clientId,
        clientSecret,
        authentication,
        timeoutMilliseconds: bounded('introspection.timeoutMilliseconds', timeoutMilliseconds, 3000, 1, 60_000),
        cacheSeconds: bounded('introspection.cacheSeconds', cacheSeconds, 0, 0, 60),
    };
}
function demand(holds, name, expected, found) {
    if (!holds)
        throw new TypeError(`The guard needs ${name}: ${expected}. Found: ${JSON.stringify(found) ?? 'nothing'}.`);
}
function bounded(name, given, otherwise, from, to) {
    const value = given ?? otherwise;
    demand(Number.isFinite(value) && value >= from && value <= to, name, `a number from ${from} to ${to}`, given);
    return value;
}
const isText = (value) => typeof value === 'string' && value.length > 0;
const isHttpUrl = (value) => isText(value) && /^https?:\/\//.test(value) && URL.canParse(value);
/** Stands in a quoted string of the challenge, so it has neither quotes nor backslashes nor controls. */
const isIdentifier = (value) => isText(value) && URL.canParse(value) && /^[\x21\x24-\x5b\x5d-\x7e]+$/.test(value);
/** RFC 6749 §3.3. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
export const areScopes = (value) => Array.isArray(value) && value.every((one) => typeof one === 'string' && SCOPE_TOKEN.test(one));
