/** How an access token is presented: in one Authorization header and nowhere else (RFC 6750 §2.1, OAuth 2.1 §5.2.1). */
/** RFC 6750 §2.1: b64token. */
const B64TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
const SCHEME = /^(bearer|dpop)(?: +|$)/i;
/**
 * @param schemes those that are taken; with another, the request has no credentials that concern us.
 * @param maxLength of a token, in characters.
 */
export function credentialsOf(request, schemes, maxLength) {
    const values = authorizationsOf(request);
    const [value] = values;
    // A token in the URL ends up in logs. Alone it is no credential; beside a header it is a second method (RFC 6750 §2).
    if (value === undefined)
        return { kind: 'none' };
    if (values.length > 1 || countRaw(request.rawHeaders) > 1)
        return { kind: 'several' };
    const [prefix = '', name = ''] = SCHEME.exec(value) ?? [];
    const scheme = name.toLowerCase();
    if (!schemes.has(scheme))
        return { kind: 'none' };
    if (hasTokenInQuery(request.url))
        return { kind: 'several' };
    const token = value.slice(prefix.length);
    if (token.length > maxLength)
        return { kind: 'too_long' };
    return B64TOKEN.test(token) ? { kind: 'token', scheme, token } : { kind: 'malformed' };
}
const NAME = 'authorization';
function authorizationsOf({ headers }) {
    if (typeof headers.get === 'function') {
        const value = headers.get(NAME);
        return value === null ? [] : [value];
    }
    return Object.entries(headers)
        .filter(([name]) => name.toLowerCase() === NAME)
        .flatMap(([, value]) => value ?? []);
}
/** Names and values take turns. */
const countRaw = (raw) => (raw ?? []).filter((name, index) => index % 2 === 0 && name.toLowerCase() === NAME).length;
function hasTokenInQuery(url) {
    const at = url?.indexOf('?') ?? -1;
    return url !== undefined && at >= 0 && new URLSearchParams(url.slice(at + 1)).has('access_token');
}
